/** The little of Markdown that the guides are written in: headings, paragraphs, lists, pictures, links and bold words. */

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)

const inline = (text: string) =>
  escaped(text)
    .replace(/!\[([^\]]*)\]\(([^)]+)\)/g, '<img src="$2" alt="$1">')
    .replace(/\[([^\]]+)\]\(([^)]+?)\.md\)/g, '<a href="$2.html">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')

const LISTS = [
  { tag: 'ul', mark: /^- / },
  { tag: 'ol', mark: /^\d+\. / },
]

function block(text: string): string {
  const [, marks, title] = text.match(/^(#+) (.*)$/) ?? []
  if (marks) return `<h${marks.length}>${inline(title ?? '')}</h${marks.length}>`
  const lines = text.split('\n')
  const list = LISTS.find(({ mark }) => lines.every((line) => mark.test(line)))
  if (!list) return `<p>${inline(lines.join(' '))}</p>`
  const items = lines.map((line) => `<li>${inline(line.replace(list.mark, ''))}</li>`)
  return `<${list.tag}>${items.join('')}</${list.tag}>`
}

/** A page that needs no script and nothing inline, which the portal's content security policy would refuse. */
export function guidePage(markdown: string, language: string): string {
  const blocks = markdown.trim().split(/\n{2,}/)
  const title = escaped(blocks[0]?.replace(/^# /, '') ?? '')
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/guide/guide.css">
</head>
<body>
<main>
${blocks.map(block).join('\n')}
</main>
</body>
</html>
`
}
