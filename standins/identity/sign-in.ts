/**
 * The pages on which people sign in: any name is believed of whoever knows the machine's sign-in code, and who signs in
 * agrees. The code is what a person has and a pod on the same loopback has not. For one machine, and for tests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { constantTimeEqual } from '../../http/auth/hmac.ts'

const root = '/sign-in/'

export const interactions: Configuration['interactions'] = { url: (_context, { uid }) => `${root}${uid}` }

/** Groups of people, by the name with which they sign in. */
export type Groups = Readonly<Record<string, readonly string[]>>

export function accountsOf(groups: Groups): Configuration['findAccount'] {
  return (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, groups: groups[id] }) })
}

export function isSignIn({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(root)
}

/** A name and a code, as a browser sends them. */
const longestForm = 4096

export async function signIn(
  provider: Provider,
  signInCode: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const interaction = await provider.interactionDetails(request, response)
    if (interaction.prompt.name === 'consent') {
      const consent = { grantId: await agreed(provider, interaction) }
      return await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true })
    }
    const sent = request.method === 'POST' ? await formOf(request) : undefined
    const login = (sent?.get('login') ?? '').trim()
    const isProven = constantTimeEqual((sent?.get('code') ?? '').trim(), signInCode)
    if (login !== '' && isProven)
      return await provider.interactionFinished(request, response, { login: { accountId: login } })
    const refused = sent === undefined ? '' : '<p>That is not the sign-in code of this machine.</p>'
    response.writeHead(sent === undefined ? 200 : 403, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page('Sign in', `${refused}${loginForm}`))
  } catch {
    // The cookie of the sign-in is not there, or what it names is over.
    response.writeHead(400, { 'content-type': 'text/html; charset=utf-8' }).end(page('Sign in', 'Begin anew.'))
  }
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let form = ''
  for await (const chunk of request) {
    form += String(chunk)
    if (form.length > longestForm) throw new Error('the form is too long')
  }
  return new URLSearchParams(form)
}

type Asked = Awaited<ReturnType<Provider['interactionDetails']>>

/** Whatever the client asked for. */
async function agreed(provider: Provider, { session, grantId, params, prompt }: Asked): Promise<string> {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) })
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as {
    readonly missingOIDCScope?: readonly string[]
    readonly missingOIDCClaims?: readonly string[]
    readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>
  }
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
  if (missingOIDCClaims) grant.addOIDCClaims([...missingOIDCClaims])
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  return grant.save()
}

/** Those on which the code of a device is entered and confirmed. */
export const devicePages = {
  userCodeInputSource: (context: KoaContextWithOIDC, form: string, _out?: unknown, error?: unknown): void => {
    const said = error === undefined ? 'Enter the code that your device shows.' : 'That is no code of a device.'
    context.body = page('Sign in a device', `<p>${said}</p>${form}${send('op.deviceInputForm')}`)
  },
  userCodeConfirmSource: (
    context: KoaContextWithOIDC,
    form: string,
    _client: unknown,
    _device: unknown,
    code: string,
  ): void => {
    const asked = `<p>Does your device show <code>${escaped(code)}</code>?</p>`
    context.body = page('Sign in a device', `${asked}${form}${send('op.deviceConfirmForm')}`)
  },
  successSource: (context: KoaContextWithOIDC): void => {
    context.body = page('Success', '<p>Your device is signed in. You can close this page.</p>')
  },
}

/** It asks, since a client can name itself and nobody else: another page must sign nobody out. */
export const signOutPages = {
  logoutSource: (context: KoaContextWithOIDC, form: string): void => {
    const button = '<button type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>Sign out</button>'
    context.body = page('Sign out', `<p>Sign out of everything that you use on this machine?</p>${form}${button}`)
  },
}

const loginForm = `<p>The code is printed by <code>statewright login</code> and <code>statewright up</code> on this machine.</p>
<form method="post" action=""><label>Any name <input name="login" required autofocus></label>
<label>Sign-in code <input name="code" type="password" autocomplete="off" required></label>
<button>Continue</button></form>`

function send(form: string): string {
  return `<button type="submit" form="${form}" autofocus>Continue</button>`
}

const style = `body{font:15px/1.5 system-ui,'DejaVu Sans',sans-serif;margin:0}main{max-width:26rem;margin:min(12vh,96px) auto;padding:0 20px}
h1{font-size:22px}label{display:block;margin:12px 0}input{display:block;box-sizing:border-box;width:100%;margin:4px 0 12px}input,button{font:inherit;padding:6px 10px}`

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>${title}</title><style>${style}</style>
<main><h1>${title}</h1>${content}</main></html>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
