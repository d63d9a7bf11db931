/** The people of the story: they read the forge and answer as the scenario says, each act once. */
import { dueActs, type Forge, type Scenario, type SeenComment } from '../local/standins.ts'
import type { Stack } from '../local/stack.ts'
import { loginOf, people } from '../../standins/people.ts'
import { firstLine } from './maintainer-comments.ts'

type ForgeThread = ReturnType<Forge['issue']>

/** On an issue GitLab keeps nothing of `/approve`: who knows that writes the word alone. */
export function asWrittenOn(dialect: Stack['dialect'], kind: ForgeThread['kind'], text: string): string {
  return dialect === 'gitlab' && kind === 'issue' ? text.replaceAll(/^\/approve$/gm, 'approve') : text
}

/** The issue that a scenario brings, once it is open. */
export function issueOf(
  forge: Pick<Forge, 'issues'>,
  repository: string,
  { task }: Pick<Scenario, 'task'>,
): ForgeThread | undefined {
  return forge.issues(repository).find(({ kind, title }) => kind === 'issue' && title === task?.issue.title)
}

/** Its issue and the merge requests that name it: on others nobody speaks unasked. */
function threadsOf(forge: Pick<Forge, 'issues'>, repository: string, scenario: Scenario): readonly ForgeThread[] {
  const issue = issueOf(forge, repository, scenario)
  const names = new RegExp(String.raw`#${issue?.number}\b`)
  const isOwn = (thread: ForgeThread): boolean => thread.kind === 'pull' && names.test(thread.body ?? '')
  return issue === undefined ? [] : forge.issues(repository).filter((thread) => thread === issue || isOwn(thread))
}

/** What people wrote there before, in a start that is over, is an act that was done. `idle`: nobody is due to do anything. */
export function startPeople(
  { forge, fullName: repository, dialect }: Pick<Stack, 'forge' | 'fullName' | 'dialect'>,
  scenario: Scenario,
  print: (text: string) => void,
): { idle(): boolean; close(): void } {
  const threads = (): readonly ForgeThread[] => threadsOf(forge, repository, scenario)
  const done = actsBefore(threads(), scenario.humans, dialect)
  const due = (): ReturnType<typeof dueActs> => dueActs(scenario.humans, threads().flatMap(commentsOf), done)
  const act = (): void => {
    for (const { on, index, as, comment } of due()) {
      const thread = threads().findLast(({ kind }) => (on === 'mergeRequest') === (kind === 'pull'))
      if (thread === undefined) continue
      const { kind, number } = thread
      done.add(index)
      const words = asWrittenOn(dialect, kind, comment)
      forge.comment(loginOf(as), repository, number, words, kind)
      // GitLab counts merge requests apart from issues.
      const name = kind === 'pull' ? 'merge request' : 'issue'
      print(`forge: ${loginOf(as)} comments on ${name} ${number}: ${firstLine(words)}`)
    }
  }
  // The forge tells of a write while it makes it: the answer comes after.
  const close = forge.onAudit(({ action }) => {
    if (['comment.create', 'review.create', 'pull.open'].includes(action)) setImmediate(act)
  })
  setImmediate(act)
  return { idle: () => due().length === 0, close }
}

/** By index: each comment that stands is one act. */
function actsBefore(
  threads: readonly ForgeThread[],
  humans: Scenario['humans'],
  dialect: Stack['dialect'],
): Set<number> {
  const written = threads.flatMap(({ kind, comments }) => [...comments.values()].map((one) => ({ kind, ...one })))
  const done = humans.flatMap((act, index) => {
    const kind = (act.do.on ?? act.when.comment.on) === 'mergeRequest' ? 'pull' : 'issue'
    const words = asWrittenOn(dialect, kind, act.do.comment).trim()
    const login = loginOf(act.do.as ?? 'maintainer')
    const at = written.findIndex((one) => one.kind === kind && one.author.login === login && one.body.trim() === words)
    return at >= 0 && written.splice(at, 1) ? [index] : []
  })
  return new Set(done)
}

function commentsOf({ kind, comments }: ForgeThread): readonly SeenComment[] {
  const on = kind === 'pull' ? 'mergeRequest' : 'issue'
  return [...comments.values()].map(({ author, body }) => ({ on, bot: author.login === people.bot, body }))
}
