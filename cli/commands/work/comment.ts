import { readFileSync } from 'node:fs'
import { readArgs, UsageError } from '../../args.ts'
import { asWrittenOn, noCredential, speakerOn, speakOptions, speakUsage } from '../../forge/speak.ts'
import { findThread, onlyOne, type Task, type Wanted } from '../../forge/thread.ts'
import { connectOrchestrator } from '../../server/connect.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright comment TASK TEXT [options]

Comments as you on the issue of a Task, or on its merge request if it has no issue. TEXT - reads standard input.
TASK is the name of a Task, or one of its threads: lib#12 is an issue, lib!13 a merge request. A comment may hold commands
for the platform, such as /hold or /retry.

${speakUsage}

Example: statewright comment implement-lib-1-x7k2p "Please keep the old name."`

/** `statewright comment TASK TEXT`: a person's word on the forge, by the person's own right. */
export async function comment(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, speakOptions, usage)
  if (parsed === undefined) return 0
  const [subject, given, ...more] = parsed.positionals
  if (subject === undefined || given === undefined || more.length > 0)
    throw new UsageError(`comment takes one Task and one text\n\n${usage}`)
  const words = given === '-' ? readFileSync(0, 'utf8').trim() : given.trim()
  if (words === '') throw new UsageError('the comment is empty')
  const { thread } = await findThread(await connectOrchestrator(parsed), subject, someThread)
  const speaker = await speakerOn(thread, parsed)
  if (speaker === undefined) return noCredential
  const { path, on, number, forge } = thread
  const { url } = await speaker.port.createComment(path, on, number, asWrittenOn(forge.provider, thread, words))
  print(`commented on ${thread.name} as ${speaker.login}: ${url}`)
  return 0
}

function someThread({ status: { issues, mergeRequests } }: Task, id: string): Wanted {
  const threads = [
    issues.map(({ repository, number, state }) => ({ repository, number, state, on: 'issue' as const })),
    mergeRequests.map(({ repository, number, state }) => ({ repository, number, state, on: 'mr' as const })),
  ].map((all) => (all.some(({ state }) => state === 'open') ? all.filter(({ state }) => state === 'open') : all))
  return onlyOne(threads.find((all) => all.length > 0) ?? [], `${id} has no thread on the forge`)
}
