import type { Act } from './acts.ts'

export interface Mutant {
  readonly bug: string
  readonly law: RegExp
  /** The shortest history that shows it. */
  readonly acts: readonly Act[]
  /** What is run instead of a command; undefined leaves it as it is. */
  readonly instead: (args: readonly string[]) => readonly string[] | undefined
}

/** Succeeds and changes nothing. */
const nothing = ['--version']
const write: Act = { kind: 'write', file: 0, isCommitted: false }
const commit: Act = { kind: 'write', file: 0, isCommitted: true }

export const mutants: readonly Mutant[] = [
  {
    bug: 'drops uncommitted work at a boot',
    law: /W1/,
    acts: [commit, write],
    instead: (args) => (args[0] === 'commit' ? ['reset', '--quiet', '--hard'] : undefined),
  },
  {
    bug: 'lets the remote win over local commits',
    law: /W1/,
    acts: [commit, { kind: 'turnEnd' }, commit, { kind: 'other', on: 'task', file: 1 }],
    instead: (args) => (args[0] === 'merge' && args.includes('-m') ? ['reset', '--hard', args.at(-1)!] : undefined),
  },
  {
    bug: 'keeps nothing of an operation that it aborts',
    law: /W1/,
    acts: [commit, { kind: 'begin', operation: 'rebase' }, write],
    instead: (args) =>
      args[0] === 'update-ref' && args[1]!.startsWith('refs/statewright/kept/') ? nothing : undefined,
  },
  {
    bug: 'forces its branch over what others pushed',
    law: /W1/,
    acts: [commit, { kind: 'turnEnd' }, { kind: 'other', on: 'task', file: 1 }, commit, { kind: 'turnEnd' }],
    instead: (args) => (args[0] === 'push' ? ['push', '--force', ...args.slice(1)] : undefined),
  },
  {
    bug: 'clones anew without the commits that lay there',
    law: /W1/,
    acts: [commit, { kind: 'begin', operation: 'revert' }, { kind: 'tear', what: 'head' }],
    instead: (args) => (args[0] === 'pack-objects' ? nothing : undefined),
  },
  {
    bug: 'leaves uncommitted work lying in the tree',
    law: /W2/,
    acts: [commit, write, { kind: 'tear', what: 'index' }],
    instead: (args) => (args[0] === 'commit' ? nothing : undefined),
  },
  {
    bug: 'says nothing of commits that it leaves on another branch',
    law: /W3/,
    acts: [{ kind: 'leave', isDetached: false }, commit],
    instead: (args) => (args[0] === 'for-each-ref' && args[1] === '--count=1' ? ['symbolic-ref', 'HEAD'] : undefined),
  },
]
