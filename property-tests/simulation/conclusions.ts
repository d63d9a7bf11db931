/** What agents conclude that only look: at a backlog, at alerts, for ideas. */
import { people } from '../../standins/people.ts'
import { fullName, repositoryNames, type Forge } from './forge.ts'

export interface Conclusion {
  readonly kind: string
  /** Of the Task, without its namespace. */
  readonly name: string
  readonly repository: string
  /** Whether it found what it looked for. */
  readonly hasFound: boolean
}

export function conclusionOf({ kind, name, repository, hasFound }: Conclusion, forge: Forge): object {
  const idea = { repo: repository, title: `An idea of ${name}`, body: 'It would help.' }
  const cause = { alert_rules: ['rule'], reason: 'so it seems' }
  if (kind === 'brainstorm')
    return hasFound
      ? { action: 'propose', proposals: [{ ...idea, kind: 'improvement' }] }
      : { action: 'skip', reason: 'nothing is worth it' }
  if (kind === 'incident')
    return hasFound ? { action: 'file_issue', ...cause, issue: idea } : { action: 'false_positive', ...cause }
  return { folds: [], closes: hasFound ? unwanted(forge) : [] }
}

/** What somebody wrote down and nobody asked for, for a refine to close. */
function unwanted(forge: Forge): readonly object[] {
  const issues = forge.actions.issues(fullName(repositoryNames[0]))
  const found = issues.find(
    ({ kind, state, labels, author }) =>
      kind === 'issue' && state === 'open' && labels.length === 0 && author.login === people.maintainer,
  )
  return found ? [{ repo: repositoryNames[0], number: found.number, reason: 'nobody asked for it' }] : []
}
