/**
 * Negative controls: a gate of the product is switched off, and a text of the corpus has to show it. A hole is an edit of
 * the product's sources while node loads them; each has a graph of modules of its own, so that one process plays all.
 */
import { edit, oneEdit, plant, type Edit } from '../plant.ts'
import type { play } from './play.ts'
import type { openScene } from './scene.ts'
import type { openBystander, Situation } from './stories.ts'

export interface Hole {
  readonly name: string
  readonly does: string
  /** The text that exposes it, and where it stands. */
  readonly text: string
  readonly situation: Situation
  /** What must be broken, among other things. */
  readonly law: RegExp
  readonly edits: readonly Edit[]
}

export const holes: readonly Hole[] = [
  {
    name: 'title-in-the-assignment',
    does: 'shows the goal as it was minted, with the title in it',
    text: 'titles/ignore-previous.md',
    situation: 'asked',
    law: /^assignment/,
    edits: oneEdit('machines/task/shown-goal.ts', /if \(instructing\.has\(origin\.kind\)\)/, 'if (goal)'),
  },
  {
    name: 'no-profile-check',
    does: 'answers every tool to every kind of agent',
    text: 'merge-requests/issue-write.md',
    situation: 'review',
    law: /^profile/,
    edits: oneEdit('edges/agents/caller.ts', /!mayCall\(claims\.agentKind, tool\)/g, 'false'),
  },
  {
    name: 'open-broker',
    does: 'sends on whatever the agent asks for',
    text: 'memories/api.md',
    situation: 'asked',
    law: /^broker/,
    edits: oneEdit('wrapper/broker/allowed-calls.ts', /return rules\.some\(/, 'return true || rules.some('),
  },
  {
    name: 'any-branch',
    does: 'lets a pod push to any branch',
    text: 'comments/fake-bot.md',
    situation: 'granted',
    law: /^push/,
    edits: oneEdit('edges/git/wire/push-rules.ts', /if \(ref !== `refs\/heads\/\$\{branch\}`\) return [^\n]*/, ''),
  },
  {
    name: 'push-without-grant',
    does: 'lets a pod push before anybody has approved',
    text: 'comments/fake-bot.md',
    situation: 'asked',
    law: /^push/,
    edits: oneEdit('edges/git/task-rights.ts', /if \(refused !== undefined\) return [^\n]*/, ''),
  },
  {
    name: 'unseen-files',
    does: 'takes a change of what runs unseen',
    text: 'issues/ci-workflow.md',
    situation: 'granted',
    law: /^unseen/,
    edits: [
      edit('edges/git/rules/path-guard.ts', /const folded = foldedNames\(path\)/, 'const folded: string[] = []'),
      edit('edges/git/rules/protected-change.ts', /unknownShape\(shapes, path\)/, 'undefined'),
    ],
  },
  {
    name: 'anybody-approves',
    does: 'does not ask who wrote the comment that is cited',
    text: 'comments/slash-approve.md',
    situation: 'asked',
    law: /^grant/,
    edits: [
      edit(
        'edges/agents/outcome/claims.ts',
        /!comment\.bot && isMaintainer\(project, issue, comment\.author\)/,
        'true',
      ),
      edit(
        'edges/forge/mirror/facts/judged-thread.ts',
        /&& people\.isMaintainer\(comment\.author\)/,
        '&& !people.isBot(comment.author)',
      ),
    ],
  },
  {
    name: 'merges-for-anybody',
    does: 'merges on a verdict alone, whoever wrote the change',
    text: 'merge-requests/approve-me.md',
    situation: 'review',
    law: /^merge/,
    edits: oneEdit(
      'edges/agents/outcome/heads.ts',
      /const authorMayMerge = mayMerge\([^\n]*/,
      'const authorMayMerge = mayMerge !== undefined && policy !== undefined',
    ),
  },
  {
    name: 'hands-over-to-anybody',
    does: 'takes a merge request over on anybody’s comment',
    text: 'merge-requests/hidden.md',
    situation: 'review',
    law: /^take-over/,
    edits: [
      edit('edges/agents/routes/takeovers.ts', /if \(comment\.bot \|\| [^\n]*\n[^\n]*/, ''),
      edit('edges/agents/routes/takeovers.ts', /if \(!asks\) throw [^\n]*/, ''),
    ],
  },
  {
    name: 'others-threads',
    does: 'edits and closes the issues of other Tasks',
    text: 'comments/close-others.md',
    situation: 'asked',
    law: /^other Task/,
    edits: oneEdit(
      'edges/agents/routes/issues.ts',
      /await refuseAnothers\(deps, caller, access, number\)/g,
      'await Promise.resolve()',
    ),
  },
  {
    name: 'telling-broker',
    does: 'answers with the credential that it adds',
    text: 'memories/credentials.md',
    situation: 'asked',
    law: /^secret/,
    edits: oneEdit(
      'wrapper/broker/broker.ts',
      /if \(response\.status === 401\) [^\n]*\n/,
      "return new Response(new Headers(init.headers).get('authorization'))\n",
    ),
  },
]

interface Planted {
  readonly openScene: typeof openScene
  readonly play: typeof play
  readonly openBystander: typeof openBystander
}

export async function plantedScene({ name, edits }: Hole): Promise<Planted> {
  const { query, unused } = plant({ name, edits, beside: () => true })
  const [scene, played, stories] = await Promise.all([
    import(`./scene.ts${query}`),
    import(`./play.ts${query}`),
    import(`./stories.ts${query}`),
  ])
  if (unused().length > 0) throw new Error(`${name} edits what is not loaded: ${unused().join(', ')}`)
  return { openScene: scene.openScene, play: played.play, openBystander: stories.openBystander }
}
