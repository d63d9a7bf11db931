/** A person's own words on the forge. They go to the forge itself: the orchestrator has no route for them, and its bot no part in them. */
import type { ParseArgsOptionsConfig } from 'node:util'
import { adapters } from '../../edges/forge/transport/adapters.ts'
import type { ForgePort } from '../../edges/forge/port.ts'
import type { Provider } from '../../edges/forge/projects.ts'
import type { Fetch } from '../../http/ports.ts'
import { sameLogin } from '../../machines/rules/logins.ts'
import { text, UsageError, type Parsed } from '../args.ts'
import { program } from '../program.ts'
import { serverUsage, serverOf, serverOptions } from '../server/connect.ts'
import { printError } from '../output/terminal.ts'
import { localCredential, localPeople, ownCredential } from './credentials.ts'
import type { Thread } from './thread.ts'

export const speakOptions = { ...serverOptions, as: { type: 'string' } } as const satisfies ParseArgsOptionsConfig

export const speakUsage = `  --as NAME         speak as this person of the stack that statewright up runs here
${serverUsage}

It writes to the forge itself, with a credential of yours: GH_TOKEN, GITHUB_TOKEN or gh auth token for github.com; GH_ENTERPRISE_TOKEN
for the host that GH_HOST names; GITLAB_TOKEN for gitlab.com, or for the host that GITLAB_HOST names. It goes to no other host.
Exit code 3: no such credential is here, and nothing was written. The command then prints the address of the thread.`

/** Nothing was written, since nobody is known here by whose right it could be. */
export const noCredential = 3

interface Speaker {
  readonly login: string
  readonly port: ForgePort
}

/** Undefined: there is no credential of a person here; it says where the thread is and what to set. */
export async function speakerOn(thread: Thread, parsed: Parsed): Promise<Speaker | undefined> {
  const person = text(parsed, 'as')
  const found =
    person === undefined
      ? await ownCredential(thread.forge, process.env)
      : localCredential(thread.forge, folderOf(parsed), person)
  if ('lacks' in found) {
    const server = serverOf(parsed, process.env)
    const people = 'dir' in server && person === undefined ? localPeople(thread.forge, server.dir) : []
    const next = people.length === 0 ? found.lacks : `say who you are here: --as ${people.join(', --as ')}`
    printError([`nothing was written: no credential of yours is here`, `  the thread: ${thread.url}`, `  ${next}`])
    return undefined
  }
  const { provider, ...where } = thread.forge
  const port = adapters[provider].open({ ...where, token: found.token, fetch: askForge, includeConfidential: true })
  const { login } = await port.whoAmI()
  if (sameLogin(login, thread.botLogin))
    throw new Error(`the credential is the bot's (${login}): a word of the bot approves nothing. Use one of your own`)
  return { login, port }
}

function folderOf(parsed: Parsed): string {
  const server = serverOf(parsed, process.env)
  if ('dir' in server) return server.dir
  throw new UsageError(`--as takes a person of ${program} up: name its folder with --dir`)
}

const answerMs = 30_000

/** It follows no redirect: a credential goes nowhere but where it was sent. */
const askForge: Fetch = async (input, init) => {
  const answer = await fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
  if (answer.status < 300 || answer.status === 304 || answer.status >= 400) return answer
  throw new Error(`the forge sends on to ${answer.headers.get('location') ?? 'nowhere'}: is the repository renamed?`)
}

/** On an issue GitLab keeps nothing of `/approve`: who knows that writes the word alone. */
export function asWrittenOn(provider: Provider, { on }: Pick<Thread, 'on'>, words: string): string {
  return provider === 'forge_b' && on === 'issue' ? words.replaceAll(/^\/approve$/gm, 'approve') : words
}
