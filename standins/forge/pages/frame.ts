/** What every page has around it, and the headers with which it is sent. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { markup, Html, type Value } from './html.ts'
import type { Visit } from './visit.ts'

const style = readFileSync(new URL('./pages.css', import.meta.url), 'utf8')
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "img-src 'none'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `same-origin`: with `no-referrer` a browser posts a form with `Origin: null`, which anybody can. */
const headers = {
  'content-security-policy': policy,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

export interface Page {
  readonly title: string
  readonly content: Value
  readonly status?: number
}

export function sendPage(
  reply: FastifyReply,
  { base, person }: Visit,
  { title, content, status = 200 }: Page,
): FastifyReply {
  const top = markup`<a href="${base}/">Local forge</a><span>You are <b>${person.user.login}</b></span>`
  return sendFrame(reply, status, { title, top, content })
}

/** The same for every address: it knows nobody, and says of nothing whether it is there. */
export function sendWho(reply: FastifyReply): FastifyReply {
  const content = markup`<h1>Which person are you?</h1>
      <p>Each person has an own link to these pages. <code>statewright open</code> prints them; each start makes new ones.</p>
      <p>The path of the page that you followed, put behind your link, opens it: <code>acme/NAME/issues/1</code>, say.</p>`
  return sendFrame(reply, 404, { title: 'Local forge', top: 'Local forge', content })
}

function sendFrame(
  reply: FastifyReply,
  status: number,
  { title, top, content }: { readonly title: string; readonly top: Value; readonly content: Value },
): FastifyReply {
  const page = markup`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${title}</title><style>${new Html(style)}</style></head>
<body><header class="top">${top}</header>
<main>${content}</main></body></html>`
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(page.text)
}

/** Without a word of what is there, or of who asks. */
export function sendPlain(reply: FastifyReply, status: number, sentence: string): FastifyReply {
  return reply.code(status).headers(headers).type('text/plain; charset=utf-8').send(`${sentence}\n`)
}

export function sendOn(reply: FastifyReply, address: string): FastifyReply {
  return reply.headers(headers).redirect(address, 303)
}
