/** Parses server-sent events: the browser's EventSource cannot send the session's token. */

export type StreamEvent = { id: string | null; name: string; data: string }

const BOUNDARY = /\r?\n\r?\n/
/** A boundary has up to four characters, so three may be in earlier pieces. */
const CUT = 3

/** Takes pieces of text and returns the complete events. */
export function makeEventReader(): (piece: string) => StreamEvent[] {
  // Pieces are joined only when an event is complete, so each piece is scanned only once.
  let held: string[] = []
  let end = ''
  return (piece) => {
    const complete = BOUNDARY.test(end + piece)
    end = (end + piece).slice(-CUT)
    held.push(piece)
    if (!complete) return []
    const blocks = held.join('').split(BOUNDARY)
    held = [blocks.pop() ?? '']
    end = held[0]?.slice(-CUT) ?? ''
    return blocks.map(eventOf).filter((event) => event !== null)
  }
}

/** A block without data, such as a comment, is not an event. */
function eventOf(block: string): StreamEvent | null {
  let id: string | null = null
  let name = 'message'
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = line.match(/^(\w+)(?:: ?(.*))?$/) ?? []
    if (field === 'id') id = value
    if (field === 'event') name = value
    if (field === 'data') data.push(value)
  }
  return data.length > 0 ? { id, name, data: data.join('\n') } : null
}
