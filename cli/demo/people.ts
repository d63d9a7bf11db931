/** The people of the story: they read the forge and answer as the scenario says, each act once. */
import { dueActs, type Forge, type Scenario, type SeenComment } from '../local/standins.ts'
import type { Stack } from '../local/stack.ts'
import { loginOf, people } from '../../standins/people.ts'

type ForgeThread = ReturnType<Forge['issue']>

/** On an issue GitLab keeps nothing of `/approve`: who knows that writes the word alone. */
export function asWrittenOn(dialect: Stack['dialect'], kind: ForgeThread['kind'], text: string): string {
  return dialect === 'gitlab' && kind === 'issue' ? text.replaceAll(/^\/approve$/gm, 'approve') : text
}

/** GitLab counts merge requests apart from issues. */
function nameOf({ kind, number }: ForgeThread): string {
  return kind === 'pull' ? `merge request ${number}` : `issue ${number}`
}

interface Crowd {
  /** Nobody is due to do anything. */
  idle(): boolean
  close(): void
}

export function startPeople(
  { forge, fullName: repository, dialect }: Pick<Stack, 'forge' | 'fullName' | 'dialect'>,
  scenario: Scenario,
  say: (text: string) => void,
): Crowd {
  const done = new Set<number>()
  const act = (): void => {
    const seen = commentsOf(forge, repository)
    for (const due of dueActs(
      scenario.humans,
      seen.map(({ comment }) => comment),
      done,
    )) {
      const thread = threadFor(forge, repository, due.on)
      if (thread === undefined) continue
      done.add(due.index)
      const login = loginOf(due.as)
      const words = asWrittenOn(dialect, thread.kind, due.comment)
      forge.comment(login, repository, thread.number, words, thread.kind)
      say(`forge: ${login} comments on ${nameOf(thread)}: ${firstLine(words)}`)
    }
  }
  // The forge tells of a write while it makes it: the answer comes after.
  const stop = forge.onAudit((entry) => {
    if (entry.action === 'comment.create' || entry.action === 'review.create' || entry.action === 'pull.open')
      setImmediate(act)
  })
  return {
    idle: () =>
      dueActs(
        scenario.humans,
        commentsOf(forge, repository).map(({ comment }) => comment),
        done,
      ).length === 0,
    close: stop,
  }
}

function commentsOf(
  forge: Forge,
  repository: string,
): readonly { readonly number: number; readonly comment: SeenComment }[] {
  return forge.issues(repository).flatMap((issue) =>
    [...issue.comments.values()].map((comment) => ({
      number: issue.number,
      comment: {
        on: issue.kind === 'pull' ? ('mergeRequest' as const) : ('issue' as const),
        bot: comment.author.login === people.bot,
        body: comment.body,
      },
    })),
  )
}

function threadFor(forge: Forge, repository: string, on: 'issue' | 'mergeRequest'): ForgeThread | undefined {
  const threads = forge.issues(repository).filter((issue) => (on === 'mergeRequest') === (issue.kind === 'pull'))
  return on === 'issue' ? threads[0] : threads.at(-1)
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0]?.slice(0, 100) ?? ''
}
