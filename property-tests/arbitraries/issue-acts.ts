/** What people, and our own account, do on issues. */
import fc from 'fast-check'
import { botLogin, hands, type Login } from '../machines/world/people.ts'
import { hear, nothing, on, saying, type Weighted } from './acts.ts'

export const human = fc.constantFrom<Login>('maya', 'maya', 'mona', 'rita', 'sam')
const hand = fc.constantFrom(...hands)

const issueWords = fc.constantFrom(
  '/approve',
  '/approve',
  '/hold',
  '/hold',
  '/hold',
  'lgtm',
  'go ahead?',
  'hm',
  '/retry',
)

export const onIssues: readonly Weighted[] = [
  saying(
    6,
    fc.tuple(human, issueWords),
    ([who, text], index) => `${who} writes ${text} on issue ${index}`,
    ({ forge }, [who, text], index) => on(forge.issues, index, (issue) => forge.comment(issue, who, text)),
  ),
  saying(
    4,
    fc.constantFrom('/hold', 'takes a comment back'),
    (text, index) => `maya: ${text}, heard at once by issue ${index}`,
    (world, text, index) =>
      on(world.forge.issues, index, (issue) => {
        if (text === '/hold') world.forge.comment(issue, 'maya', text)
        else world.forge.deleteComment(issue, 'maya')
        hear(world, issue)
      }),
  ),
  saying(
    1,
    fc.constantFrom('/approve', '/hold', 'lgtm'),
    (text, index) => `the bot writes ${text} on issue ${index}`,
    ({ forge }, text, index) => on(forge.issues, index, (issue) => forge.comment(issue, botLogin, text)),
  ),
  saying(
    2,
    nothing,
    (_, index) => `maya takes a comment on issue ${index} back`,
    ({ forge }, _, index) => on(forge.issues, index, (issue) => forge.deleteComment(issue, 'maya')),
  ),
  saying(
    4,
    fc.tuple(hand, fc.constantFrom('edits', 'deletes')),
    ([by, what], index) => `maya writes /hold on issue ${index}, it is heard, and ${by} ${what} it`,
    (world, [by, what], index) =>
      on(world.forge.issues, index, (issue) => {
        world.forge.comment(issue, 'maya', '/hold')
        hear(world, issue)
        if (what === 'edits') world.forge.editComment(issue, 'maya', by, 'fine by me')
        else world.forge.deleteComment(issue, 'maya', by)
        hear(world, issue)
      }),
  ),
  saying(
    3,
    fc.tuple(hand, fc.constantFrom<Login>('maya', 'mona'), fc.constantFrom('/approve', '/hold', 'hm', 'deletes')),
    ([by, whose, text], index) => `${by} makes ${text} of the newest comment of ${whose} on issue ${index}`,
    ({ forge }, [by, whose, text], index) =>
      on(forge.issues, index, (issue) => {
        if (text === 'deletes') forge.deleteComment(issue, whose, by)
        else forge.editComment(issue, whose, by, text)
      }),
  ),
  saying(
    1,
    nothing,
    (_, index) => `the mirror's rows of issue ${index} are lost`,
    ({ forge }, _, index) => on(forge.issues, index, (issue) => forge.forget(issue)),
  ),
  saying(
    1,
    hand,
    (by, index) => `${by} edits issue ${index}`,
    ({ forge, actors }, by, index) =>
      on(forge.issues, index, (issue) => forge.editIssue(issue, by, `edited ${actors.now}`)),
  ),
  saying(
    1,
    fc.constantFrom<Login>('maya', 'rita'),
    (who, index) => `${who} closes issue ${index}`,
    ({ forge }, who, index) => on(forge.issues, index, (issue) => forge.closeIssue(issue, who)),
  ),
  saying(
    2,
    nothing,
    (_, index) => `issue ${index} is reopened`,
    ({ forge }, _, index) => on(forge.issues, index, (issue) => forge.changeIssue(issue, { state: 'open' })),
  ),
  saying(
    1,
    fc.constantFrom('/cancel', 'label off', 'label on'),
    (what, index) => `maya on issue ${index}: ${what}`,
    ({ forge }, what, index) =>
      on(forge.issues, index, (issue) => {
        if (what === '/cancel') forge.comment(issue, 'maya', what)
        else
          forge.changeIssue(
            issue,
            { labels: what === 'label on' ? ['agent'] : [] },
            { unwantedByMaintainer: what === 'label off', labelledBy: 'maya' },
          )
      }),
  ),
]
