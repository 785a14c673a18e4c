/** The API's refusals as one typed error. */
import type { Translate } from '../i18n/use-t'
import { PasskeyProblem } from '../passkey/problem'

/** Stable codes of `{detail, code}`; `network` is our own: no answer. */
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

/** An error of one field: the code is for logic, the text (in the caller's language) is shown. */
export type FieldProblem = { code: string; text: string }
export type FieldProblems = Record<string, FieldProblem[]>

type Details = {
  status: number
  code: ErrorCode
  detail?: string
  fields?: FieldProblems
  body?: unknown
  requestId?: string
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 without an answer. */
  readonly status: number
  readonly code: ErrorCode
  /** The server's sentence, if there is one. */
  readonly detail: string | undefined
  readonly fields: FieldProblems
  readonly body: unknown
  /** Leads the operator to the lines of the log. */
  readonly requestId: string | undefined
  /** From Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor({ status, code, detail, fields = {}, body, requestId }: Details, retryAfterSeconds?: number) {
    super(detail ?? code)
    this.status = status
    this.code = code
    this.detail = detail
    this.fields = fields
    this.body = body
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

export const networkError = () => new ApiError({ status: 0, code: 'network' })

export function apiError(response: Response, body: unknown): ApiError {
  const { status } = response
  const detail = isRecord(body) && typeof body.detail === 'string' ? body.detail : undefined
  const code = isRecord(body) && isErrorCode(body.code) ? body.code : codeOfStatus(status)
  const retryAfter = Number(response.headers.get('Retry-After')) || undefined
  const requestId = response.headers.get('X-Request-Id') ?? undefined
  return new ApiError({ status, code, detail, fields: fieldProblems(body), body, requestId }, retryAfter)
}

/**
 * The text for the person: the server's sentence, its texts for fields (which may have no input), or our own. If
 * the fault is ours, with the number by which the operator finds it.
 */
export function errorText(error: unknown, t: Translate): string {
  if (error instanceof PasskeyProblem) return t(`passkey.problem.${error.failure}`)
  if (!(error instanceof ApiError)) return t('error.internal')
  const problems = Object.values(error.fields).flat()
  const texts = [...new Set(problems.map(({ text }) => text))]
  const text = error.detail ?? (texts.join(' ') || t(`error.${error.code}`))
  if (error.code !== 'internal' || !error.requestId) return text
  return `${text} ${t('error.reference', { id: error.requestId })}`
}

/** The token of the key page, part of the refusal `no_systems`. */
export function limitedAccessOf(error: unknown): string | null {
  if (!(error instanceof ApiError) || error.code !== 'no_systems' || !isRecord(error.body)) return null
  return typeof error.body.access === 'string' ? error.body.access : null
}

/** `{field: [text…], codes: {field: [code…]}}` → text and code of each field. */
function fieldProblems(body: unknown): FieldProblems {
  if (!isRecord(body) || !isRecord(body.codes)) return {}
  const problems: FieldProblems = {}
  for (const [field, codes] of Object.entries(body.codes)) {
    const texts = strings(body[field])
    problems[field] = strings(codes).map((code, index) => ({ code, text: texts[index] ?? code }))
  }
  return problems
}

/** For answers of others, such as a proxy's error page. */
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
