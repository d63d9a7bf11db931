/** What the memory should hold by what stands on the forge: the heads of the default branches, and words that an agent may read. */
import type { IssueText } from '../../edges/ports/memory-intake.ts'
import type { Issue } from '../../standins/forge/store/records.ts'
import { people } from '../../standins/people.ts'
import { fullName, repositoryNames, type Entry, type Forge } from './forge.ts'
import type { Memory } from './memory.ts'
import type { Plan } from './plan.ts'
import { nameOf } from './thread.ts'

/** Whom the Project lets in. */
const heard: ReadonlySet<string> = new Set([people.reporter, people.maintainer, people.bot])

/** Newer words of whoever is heard may be missing: they come with the next look. */
export function lacksOf(
  memory: Memory,
  forge: Pick<Forge, 'actions' | 'audit' | 'heads'>,
  { repositories }: Plan,
): readonly string[] {
  return repositoryNames.slice(0, repositories).flatMap((repository) => {
    const { commit, graph, issues } = memory.held(repository)
    const head = forge.heads(repository).get('refs/heads/main')
    const shown = forge.actions.issues(fullName(repository)).filter(({ kind }) => kind === 'issue')
    return [
      ...(commit === head ? [] : [`memory: it knows ${repository} at ${nameOfCommit(commit)}, which is at ${head}`]),
      ...(graph === head
        ? []
        : [`memory: it has the code graph of ${repository} at ${nameOfCommit(graph)}, not ${head}`]),
      ...[...issues.values()].flatMap((held) => {
        const issue = shown.find(({ number }) => number === held.number)
        const name = nameOf({ repository, kind: 'issue', number: held.number })
        const left = leftIn(held, issue, ownWords(forge.audit, fullName(repository), held.number))
        return left === '' ? [] : [`memory: words of ${name} that no agent may read are in it: ${JSON.stringify(left)}`]
      }),
    ]
  })
}

function nameOfCommit(commit: string): string {
  return commit === '' ? 'no commit' : commit
}

/** What the platform wrote there at any time: it hides nothing by writing it over. */
function ownWords(audit: readonly Entry[], repository: string, number: number): readonly string[] {
  return audit
    .filter((entry) => entry.actor === people.bot && entry.repository === repository && entry.number === number)
    .flatMap(({ detail }) => (typeof detail?.['body'] === 'string' ? [detail['body']] : []))
}

/** What of it nobody let in has written, or nobody shows any more. */
function leftIn(
  { title, body: opening, thread }: IssueText,
  issue: Readonly<Issue> | undefined,
  own: readonly string[],
): string {
  const body = [opening, ...thread.map((comment) => `${comment.author}: ${comment.body}`)].join('\n\n')
  if (issue === undefined || issue.confidential || !heard.has(issue.author.login)) return `${title}\n${body}`
  const comments = [...issue.comments.values()].filter(({ author }) => heard.has(author.login))
  const words = [
    ...comments.map((comment) => `${comment.author.login}: ${comment.body}`),
    ...own.map((text) => `${people.bot}: ${text}`),
    ...(issue.body ? [issue.body] : []),
  ]
  const longestFirst = words.toSorted((one, other) => other.length - one.length)
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, ''), body).trim()
  return title === issue.title ? rest : `${title}\n${rest}`
}
