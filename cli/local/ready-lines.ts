/** What a person needs once all is up: where to look, and whose links act on the forge. */
import { people } from '../../standins/people.ts'
import type { Endpoints } from './endpoints.ts'
import type { PeopleFile } from './people-file.ts'
import { program } from '../program.ts'

const roles: Readonly<Record<string, string>> = {
  [people.maintainer]: 'maintainer',
  [people.reporter]: 'reporter',
  [people.stranger]: 'stranger',
}

interface Ready {
  readonly endpoints: Pick<Endpoints, 'inspector' | 'forge' | 'signInCode'>
  readonly persons: PeopleFile
  readonly triggerLabel: string
  /** The folder as `--dir` names it; undefined: the default one. */
  readonly dir: string | undefined
}

/** The links of people are secrets: for a terminal, never for a log. */
export function readyLines({ endpoints, persons, triggerLabel, dir }: Ready): readonly string[] {
  const { inspector, forge, signInCode } = endpoints
  const at = dir === undefined ? '' : ` --dir ${dir}`
  const names = Object.keys(persons).map((login) => [login, roles[login] ?? 'person'] as const)
  return [
    'ready:',
    `  inspector         ${inspector}`,
    ...(signInCode === undefined
      ? []
      : [`  sign-in code      ${signInCode} (the inspector and ${program} login ask for it)`]),
    ...names.map(
      ([login, role]) => `  ${`${login}, ${role}`.padEnd(17)} ${personLink(forge, persons[login]?.key ?? '')}`,
    ),
    '',
    `next: open an issue as ${people.reporter} with the label ${triggerLabel}, and approve its plan as ${people.maintainer}`,
    `      ${program} inspector${at} prints a link that signs in; ${program} open${at} prints these lines again`,
  ]
}

function personLink(forge: string, key: string): string {
  return `${forge}/as/${key}/`
}
