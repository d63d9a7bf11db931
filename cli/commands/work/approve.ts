import { isListed, sameLogin } from '../../../machines/rules/logins.ts'
import { flag, readArgs, UsageError } from '../../args.ts'
import { planLines, planOn, type ShownPlan } from '../../forge/shown-plan.ts'
import { asWrittenOn, noCredential, speakerOn, speakOptions, speakUsage } from '../../forge/speak.ts'
import { findThread, onlyOne, readTask, type Task, type Thread, type Wanted } from '../../forge/thread.ts'
import { connectOrchestrator } from '../../server/connect.ts'
import { confirmed, print } from '../../output/terminal.ts'
import { program } from '../../program.ts'

const usage = `usage: statewright approve TASK [--yes] [options]

Approves the plan of a Task by a comment of yours on its issue. It shows the plan and its hash and asks, on a terminal.
It writes nothing if you are no maintainer of the repository, or if the issue shows another plan by then. The platform judges
your right again, as of any comment.
TASK is the name of a Task; of several issues name one: lib#12.

  -y, --yes         do not ask
${speakUsage}

Example: statewright approve implement-lib-1-x7k2p`

/** So long the platform may need to hear of a comment: until then it cannot say whether it counts. */
const unheardMs = 60_000

/** `statewright approve TASK`: a person's word on the forge, by the person's own right. */
export async function approve(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, { ...speakOptions, yes: { type: 'boolean', short: 'y' } }, usage)
  if (parsed === undefined) return 0
  const [subject, ...more] = parsed.positionals
  if (subject === undefined || more.length > 0) throw new UsageError(`approve takes one Task\n\n${usage}`)
  if (!flag(parsed, 'yes') && !process.stdin.isTTY)
    throw new UsageError('approve asks on a terminal: read the plan on its issue, and give --yes')
  const client = await connectOrchestrator(parsed)
  const { thread, working } = await findThread(client, subject, waitingIssue)
  if (thread.on !== 'issue') throw new UsageError('a plan is approved on its issue, not on a merge request')
  if (working === undefined) throw new Error(`no Task works on ${thread.name}: there is nothing to approve`)
  const { id, task } = working
  const speaker = await speakerOn(thread, parsed)
  if (speaker === undefined) return noCredential
  const { project, maintainers } = thread
  if (!isListed(speaker.login, maintainers))
    throw new Error(
      `${speaker.login} is no maintainer of ${project}: nothing was written. Maintainers: ${maintainers.join(', ') || 'nobody'}`,
    )
  const read = async ({ status: { planHash, stage, stageReason } }: Task): Promise<ShownPlan> => {
    if (!planHash) throw new Error(`${id} has no plan yet: it is ${stage}${stageReason ? ` (${stageReason})` : ''}`)
    const plan = await planOn(speaker.port, thread, planHash)
    if (plan === undefined)
      throw new Error(`${thread.name} does not show the newest plan of ${id}; nothing was written: try again soon`)
    return plan
  }
  const plan = await read(task)
  const { path, on, number, forge } = thread
  const word = asWrittenOn(forge.provider, thread, '/approve')
  if (isApproved(task, thread)) {
    print(`plan ${plan.hash} is approved: nothing was written`)
    return 0
  }
  const { newest } = plan
  if (newest?.body.trim() === word && sameLogin(newest.author, speaker.login) && Date.now() - newest.at < unheardMs) {
    print(`${speaker.login} approved plan ${plan.hash} a moment ago: nothing was written`)
    return 0
  }
  print(planLines({ ...thread, task: id }, plan))
  if (!flag(parsed, 'yes') && !(await confirmed(`Approve plan ${plan.hash} as ${speaker.login}?`))) {
    print('nothing was written')
    return 1
  }
  const now = await read(await readTask(client, id))
  if (now.hash !== plan.hash || now.words !== plan.words)
    throw new Error(
      `a newer plan ${now.hash} stands on ${thread.name}; nothing was written: read it, and approve again`,
    )
  const { url } = await speaker.port.createComment(path, on, number, word)
  print(`plan ${plan.hash} approved as ${speaker.login}: ${url}`)
  return 0
}

/** An approval that lapsed is neither, and is said again. */
function isApproved({ status }: Task, { repository, number }: Thread): boolean {
  return status.issues.some(
    (one) => (one.accepted || one.granted) && one.repository === repository && one.number === number,
  )
}

function waitingIssue({ status: { issues, stageClass } }: Task, id: string): Wanted {
  if (stageClass === 'terminal') throw new Error(`${id} has ended`)
  const waiting = issues.filter(({ state, granted }) => state === 'open' && !granted)
  return onlyOne(
    waiting.map(({ repository, number }) => ({ repository, number, on: 'issue' })),
    `${id} has no open issue that waits for an approval: ${program} why ${id}`,
  )
}
