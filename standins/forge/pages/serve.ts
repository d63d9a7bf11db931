/**
 * The forge's pages for people. A person is a key in the address: there is no cookie, which would hold for each port of this
 * machine, also for one on which a pod listens. Every page and form stays below it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actions } from '../actions.ts'
import { wordError } from '../github/errors.ts'
import { Refusal, type RefusalReason } from '../store/refusal.ts'
import { fingerprint, requireUser, type World } from '../store/world.ts'
import { FormRefusal, forms } from './forms.ts'
import { sendOn, sendPage, sendPlain, sendWho, type Page } from './frame.ts'
import { markup } from './html.ts'
import { listPage, newIssuePage, startPage } from './lists.ts'
import { threadPage } from './thread.ts'
import { placeOf, type Again, type Place, type Visit } from './visit.ts'

export interface PagesOptions {
  readonly world: World
  readonly actions: Actions
  readonly people: readonly { readonly login: string; readonly key: string }[]
  /** Known once the forge listens. */
  readonly origin: () => string
  readonly log: (error: unknown) => void
}

interface Route {
  readonly Params: { readonly key: string; readonly '*'?: string }
  readonly Body: URLSearchParams
}

const root = '/as'
/** The longest text of the store, each character as nine of an address. */
const mostBytes = 10 * 1024 * 1024
/** An address of another form is none of these pages: a repository may have an owner `as`. */
const keyed = `${root}/:key(^[0-9a-f]{40}$)`

export function pageAddress(origin: string, key: string, path = ''): string {
  return `${origin}${root}/${key}/${path.split('/').map(encodeURIComponent).join('/')}`
}

export async function servePages(
  app: FastifyInstance,
  { world, actions, people, origin, log }: PagesOptions,
): Promise<void> {
  for (const { login, key } of people)
    if (!/^[0-9a-f]{40}$/.test(key)) throw new RangeError(`the key of ${login} is not 40 hex digits`)
  // Looked up by hash, as tokens are.
  const logins = new Map(people.map(({ login, key }) => [fingerprint(key), login]))

  app.setNotFoundHandler((request, reply) => {
    if (isOfBrowser(request)) return sendWho(reply)
    const message = `Route ${request.method}:${request.url} not found`
    return reply.code(404).send({ message, error: 'Not Found', statusCode: 404 })
  })
  await app.register(async (pages) => {
    pages.removeAllContentTypeParsers()
    const type = 'application/x-www-form-urlencoded'
    pages.addContentTypeParser(type, { parseAs: 'string', bodyLimit: mostBytes }, (_request, text, done) =>
      done(null, new URLSearchParams(text.toString())),
    )
    pages.setErrorHandler<Error & { readonly statusCode?: number }>((error, _request, reply) => {
      const { statusCode: status = 500 } = error
      if (status >= 500) log(error)
      return sendPlain(
        reply,
        status,
        status >= 500 ? 'The forge failed at this page.' : 'The forge does not read this.',
      )
    })
    pages.addHook<Route>('onRequest', async (request, reply) => {
      const { method, params, headers } = request
      if (!logins.has(fingerprint(params.key)))
        return isOfBrowser(request) ? sendWho(reply) : sendPlain(reply, 404, 'Not Found')
      if (method !== 'GET' && method !== 'HEAD' && headers.origin !== origin())
        return sendPlain(reply, 403, 'This form was not sent from a page of the forge.')
      return undefined
    })
    for (const url of [keyed, `${keyed}/*`]) {
      pages.get<Route>(url, ({ params }, reply) => show(visitOf(params), params['*'] ?? '', reply))
      pages.post<Route>(url, ({ params, body }, reply) => act(visitOf(params), params['*'] ?? '', typedIn(body), reply))
    }
  })

  function visitOf({ key }: Route['Params']): Visit {
    const user = requireUser(world, logins.get(fingerprint(key)) ?? '')
    return { world, actions, person: { user, cap: 'admin', scopes: [] }, origin: origin(), base: `${root}/${key}` }
  }

  async function show(visit: Visit, path: string, reply: FastifyReply): Promise<FastifyReply> {
    try {
      return sendPage(reply, visit, path === '' ? startPage(visit) : await pageOf(placeOf(visit, path)))
    } catch (error) {
      return sendPage(reply, visit, refusedPage(error))
    }
  }

  async function act(visit: Visit, path: string, typed: Again['typed'], reply: FastifyReply): Promise<FastifyReply> {
    let place: Place | undefined
    try {
      place = placeOf(visit, path)
      const form = forms[place.verb ?? '']
      if (form === undefined || form.isOfThread !== (place.number !== undefined)) throw new Refusal('not-found')
      return sendOn(reply, await form.run(place, typed))
    } catch (error) {
      const refused = refusedPage(error)
      if (place === undefined || refused.status === 404) return sendPage(reply, visit, refused)
      const again = { sentence: refused.sentence, typed }
      return sendPage(reply, visit, { ...(await pageOf(place, again)), status: refused.status })
    }
  }
}

/** Who follows a link or types an address; a program asks for no page. */
function isOfBrowser({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true
}

function pageOf(place: Place, again?: Again): Page | Promise<Page> {
  if (place.number !== undefined) return threadPage(place, again)
  return place.verb === 'new' ? newIssuePage(place, again) : listPage(place)
}

/** A browser ends each line with two characters. A name with brackets may come more than once. */
function typedIn(form: URLSearchParams | undefined): Again['typed'] {
  const texts = (name: string): string[] =>
    (form ?? new URLSearchParams()).getAll(name).map((text) => text.replaceAll('\r\n', '\n').replaceAll('\0', '\ufffd'))
  const valueOf = (name: string): unknown =>
    name.endsWith('[]') || texts(name).length > 1 ? texts(name) : texts(name)[0]
  return Object.fromEntries([...new Set(form?.keys())].map((name) => [name, valueOf(name)]))
}

const sentences: Partial<Readonly<Record<RefusalReason, (refusal: Refusal) => string>>> = {
  'not-found': () => 'There is no such page, or you may not see it.',
  forbidden: () => 'You may not do this in this repository.',
  'admin-only': () => 'You may not do this in this repository.',
  missing: ({ field }) => `There must be a ${field}.`,
  blank: () => 'There must be a text.',
  'too-long': ({ field, detail }) => `The ${field} is longer than ${detail} characters.`,
  'own-review': () => 'Nobody approves or refuses a merge request of their own.',
  'review-empty': () => 'A review that does not approve needs a text.',
  'pending-review': () => 'You have begun a review elsewhere: submit that one first.',
  'line-not-in-diff': ({ detail }) => `The diff does not show ${detail}.`,
  'path-not-in-diff': ({ detail }) => `The diff has no file ${detail}.`,
  'head-gone': ({ detail }) => `It cannot be reopened: the branch ${detail} is gone or merged.`,
  'label-absent': () => 'It does not have this label.',
  invalid: ({ detail }) =>
    detail === 'commands only'
      ? 'GitLab keeps nothing of a comment that has only commands. It obeyed those that you may give.'
      : `This is not taken: ${detail}.`,
}

/** @throws what is no refusal. */
function refusedPage(error: unknown): Page & { readonly status: number; readonly sentence: string } {
  if (!(error instanceof Refusal) && !(error instanceof FormRefusal)) throw error
  const sentence = error instanceof Refusal ? (sentences[error.reason]?.(error) ?? error.message) : error.message
  const status = error instanceof FormRefusal ? error.status : (wordError(error, '')?.status ?? 422)
  return {
    title: 'Refused',
    status,
    sentence,
    content: markup`<h1>Refused</h1>
      <p class="notice" role="alert">${sentence}</p>`,
  }
}
