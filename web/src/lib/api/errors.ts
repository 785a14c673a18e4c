/** What the API answers when it refuses, as one typed error. */
import type { MessageId } from '../i18n/locales'
import { PasskeyProblem } from '../passkey/problem'

/** Stable codes of `{detail, code}`; `network` is ours: no answer came at all. */
export const ERROR_CODES = [
  'invalid_credentials',
  'email_unconfirmed',
  'confirm_resent',
  'no_systems',
  'token_invalid',
  'refresh_invalid',
  'too_many_attempts',
  'not_found',
  'forbidden',
  'too_large',
  'invalid_form',
  'link_invalid',
  'client_unknown',
  'unavailable',
  'mail_failed',
  'too_many_devices',
  'too_many_commands',
  'key_reused',
  'fleet_braked',
  'internal',
  'network',
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** One complaint about one field: the code decides, the text (in the caller's language) is shown. */
export type FieldProblem = { code: string; text: string }
export type FieldProblems = Record<string, FieldProblem[]>

type Details = { status: number; code: ErrorCode; detail?: string; fields?: FieldProblems; body?: unknown }

export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 when no answer came. */
  readonly status: number
  readonly code: ErrorCode
  /** The server's own sentence, if it sent one. */
  readonly detail: string | undefined
  readonly fields: FieldProblems
  readonly body: unknown
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, code, detail, fields = {}, body }: Details, retryAfterSeconds?: number) {
    super(detail ?? code)
    this.status = status
    this.code = code
    this.detail = detail
    this.fields = fields
    this.body = body
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const networkError = () => new ApiError({ status: 0, code: 'network' })

export function apiError(response: Response, body: unknown): ApiError {
  const { status } = response
  const detail = isRecord(body) && typeof body.detail === 'string' ? body.detail : undefined
  const code = isRecord(body) && isErrorCode(body.code) ? body.code : codeOfStatus(status)
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined
  return new ApiError({ status, code, detail, fields: fieldProblems(body), body }, retryAfter)
}

/** What to tell the person: the server's sentence, what it says about fields (there may be no input to show it), or ours. */
export function errorText(error: unknown, t: (id: MessageId) => string): string {
  if (error instanceof PasskeyProblem) return t(`passkey.problem.${error.failure}`)
  if (!(error instanceof ApiError)) return t('error.internal')
  const problems = Object.values(error.fields).flat()
  const texts = [...new Set(problems.map(({ text }) => text))]
  return error.detail ?? (texts.join(' ') || t(`error.${error.code}`))
}

/** The token that opens only the key page: it comes with the refusal `no_systems`. */
export function limitedAccessOf(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== 'no_systems' || !isRecord(error.body)) return null
  return typeof error.body.access === 'string' ? error.body.access : null
}

/** `{field: [text…], codes: {field: [code…]}}` → per field, text and code side by side. */
function fieldProblems(body: unknown): FieldProblems {
  if (!isRecord(body) || !isRecord(body.codes)) return {}
  const problems: FieldProblems = {}
  for (const [field, codes] of Object.entries(body.codes)) {
    const texts = strings(body[field])
    problems[field] = strings(codes).map((code, index) => ({ code, text: texts[index] ?? code }))
  }
  return problems
}

/** For answers that are not ours, such as a proxy's error page. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 400) return 'invalid_form'
  if (status === 401) return 'token_invalid'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 413) return 'too_large'
  if (status === 429) return 'too_many_attempts'
  return status >= 502 && status <= 504 ? 'unavailable' : 'internal'
}

const isErrorCode = (value: unknown): value is ErrorCode => ERROR_CODES.some((code) => code === value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
