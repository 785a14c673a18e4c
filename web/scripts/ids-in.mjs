/**
 * The ids of texts that code shows: an id counts if it occurs in quotes, or if a template such as
 * `field.${code}` has its prefix.
 *
 * @param {string} code
 * @param {readonly string[]} ids
 * @returns {string[]}
 */
export function idsIn(code, ids) {
  const quoted = new Set([...code.matchAll(/['"]([a-z][\w-]*(?:\.[\w-]+)+)['"]/gi)].map(([, id]) => id))
  const prefixes = [...code.matchAll(/`([a-z][\w.-]*\.)\$\{/gi)].map(([, prefix]) => String(prefix))
  return ids.filter((id) => quoted.has(id) || prefixes.some((prefix) => id.startsWith(prefix)))
}
