import { Marked, type Tokens } from 'marked'

/** Links to other guides point to their pages. */
const reader = new Marked({
  walkTokens: (token) => {
    if (token.type === 'link') token.href = token.href.replace(/\.md$/, '.html')
  },
})

/** A page without scripts and inline styles, which the portal's content security policy would refuse. */
export function guidePage(markdown: string, language: string): string {
  const heading = reader.lexer(markdown).find((token): token is Tokens.Heading => token.type === 'heading')
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading?.text ?? ''}</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/guide/guide.css">
</head>
<body>
<main>
${reader.parse(markdown, { async: false })}</main>
</body>
</html>
`
}
