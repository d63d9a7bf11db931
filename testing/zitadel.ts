/** The example provider of zitadel/oidc, which nobody here wrote, on a free port of the loopback: `.ci/oidc.sh`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The folder of its program, as `.ci/oidc.sh build` prints it. */
const folder = 'OIDC_UNDER_TEST'
export const password = 'verysecure'

export interface Zitadel {
  /** With a slash at the end. */
  readonly issuer: string
  readonly stop: () => Promise<void>
}

export interface ZitadelOptions {
  /** Claims of each person, in access and id tokens, by the name that is also the subject. */
  readonly people: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Of both clients: `native`, which is public, and `web`, whose secret is `secret`. */
  readonly redirectUris?: readonly string[]
}

/** Answers its discovery from the moment that this resolves. @throws where the program ends at once. */
export async function startZitadel(options: ZitadelOptions): Promise<Zitadel> {
  const child = spawn(join(process.env[folder] ?? '', 'oidc'), [JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const issuer = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([line]) => String(line)),
    ended.then(([code]) => Promise.reject(new Error(`the provider ended with exit code ${code}`))),
  ])
  return {
    issuer,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** As a person whose device shows the code would, at the address that the device shows. */
export async function confirmDevice(address: string, userCode: string, person: string): Promise<void> {
  const page = await fetch(new URL('/device/login', address), {
    method: 'POST',
    body: new URLSearchParams({ user_code: userCode, username: person, password }),
  })
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
  const confirmed = await fetch(new URL('/device/confirm?action=allowed', address), { headers: { cookie } })
  const text = await confirmed.text()
  if (!text.includes('Device authorization allowed')) throw new Error(`the sign-in stands still: ${text}`)
}

/** As a person in a browser that was led to the authorization endpoint; the address to which the provider leads it back. */
export async function signInAt(authorization: string, person: string): Promise<string> {
  const asked = await fetch(authorization, { redirect: 'manual' })
  const login = new URL(locationOf(asked), authorization)
  const id = login.searchParams.get('authRequestID')
  // An error goes straight back.
  if (id === null) return login.href
  const proven = await fetch(new URL('/login/username', authorization), {
    method: 'POST',
    body: new URLSearchParams({ id, username: person, password }),
    redirect: 'manual',
  })
  const finished = await fetch(new URL(locationOf(proven), authorization), { redirect: 'manual' })
  return new URL(locationOf(finished), authorization).href
}

function locationOf(answer: Response): string {
  const location = answer.headers.get('location')
  if (location === null) throw new Error(`the sign-in stands still: ${answer.status}`)
  return location
}
