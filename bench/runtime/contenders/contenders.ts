export type ContenderName =
  | 'own-postgres'
  | 'own-listed'
  | 'own-folder'
  | 'raw-group-commit'
  | 'statement'
  | 'transaction'
  | 'dbos-steps'
  | 'dbos-messages'
  | 'restate-object'
  | 'restate-runs'

export interface ContenderInfo {
  readonly name: ContenderName
  /** What an operation is. */
  readonly about: string
  readonly program: URL
  readonly store: 'postgres' | 'folder' | 'restate'
  /** The database that each cell gets a copy of. */
  readonly template?: 'own' | 'baseline' | 'dbos'
  readonly options?: { readonly isListed: 'yes' }
}

function program(path: string): URL {
  return new URL(path, import.meta.url)
}

/** In the order of a round. */
export const contenders: readonly ContenderInfo[] = [
  {
    name: 'own-postgres',
    about: 'Statewright on Postgres: deliver, step, commit, effect performed and settled',
    program: program('./own-on-postgres.ts'),
    store: 'postgres',
    template: 'own',
  },
  {
    name: 'own-listed',
    about: 'the same, with what searches find written anew at one step of four',
    program: program('./own-on-postgres.ts'),
    store: 'postgres',
    template: 'own',
    options: { isListed: 'yes' },
  },
  {
    name: 'dbos-steps',
    about: 'DBOS: a step of a ten-step workflow; latency is one step',
    program: program('../peers/dbos-steps.ts'),
    store: 'postgres',
    template: 'dbos',
  },
  {
    name: 'restate-object',
    about: 'Restate: a virtual object’s call that reads, steps and sets the same snapshot',
    program: program('../peers/restate-object.ts'),
    store: 'restate',
  },
  {
    name: 'raw-group-commit',
    about: 'the limit: group commit of the same rows by hand, constant payload, no machine, no fence',
    program: program('../baselines/raw-group-commit.ts'),
    store: 'postgres',
    template: 'baseline',
  },
  {
    name: 'dbos-messages',
    about: 'DBOS: a send to a workflow that receives; effect is the message in the workflow',
    program: program('../peers/dbos-messages.ts'),
    store: 'postgres',
    template: 'dbos',
  },
  {
    name: 'own-folder',
    about: 'Statewright on its embedded store: the same work',
    program: program('./own-on-folder.ts'),
    store: 'folder',
  },
  {
    name: 'restate-runs',
    about: 'Restate: a `ctx.run` step of a handler with ten',
    program: program('../peers/restate-runs.ts'),
    store: 'restate',
  },
  {
    name: 'statement',
    about: 'by hand: a statement an event, snapshots in memory, nothing performed',
    program: program('../baselines/statement.ts'),
    store: 'postgres',
    template: 'baseline',
  },
  {
    name: 'transaction',
    about: 'by hand: BEGIN, SELECT FOR UPDATE, write, COMMIT an event, nothing performed',
    program: program('../baselines/transaction.ts'),
    store: 'postgres',
    template: 'baseline',
  },
]
