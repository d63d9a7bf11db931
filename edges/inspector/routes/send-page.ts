import type { FastifyReply } from 'fastify'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const html = 'text/html; charset=utf-8'

/** With the headers of everything that a browser gets of the page: nothing is kept, framed, or told to others. */
export function sendPage(reply: FastifyReply, type: string, body: string): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cross-origin-resource-policy', 'same-origin')
    .header('cache-control', 'no-store')
    .type(type)
    .send(body)
}

/** A link that looks like a button. */
export function action(address: string, text: string): string {
  return `<a class="act" href="${escaped(address)}">${text}</a>`
}

/** A page of words alone. `paragraphs` are HTML. */
export function noticePage(title: string, ...paragraphs: readonly string[]): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Statewright inspector</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/inspector/page.css"><main class="closed"><h1>${title}</h1>
${paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n')}</main></html>`
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
