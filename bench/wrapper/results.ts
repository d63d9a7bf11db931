export const contenders = ['own', 'screen', 'cli'] as const
export type ContenderName = (typeof contenders)[number]

/** One turn, by the clock of the bench. */
export interface TurnSample {
  readonly contender: ContenderName
  readonly round: number
  readonly answer: AnswerKind
  /** A file was changed before it: it ends with a commit and a push. */
  readonly isPushed: boolean
  /** From the submission until the model has the whole request. */
  readonly askedMs: number
  /** From the model's answer until the contender says that the turn is over. */
  readonly toldMs: number
  /** The request held the submitted text, character by character. */
  readonly isHeardExactly: boolean
  /** What it reports is what the model answered; runs of blanks count as one. */
  readonly isReportedExactly: boolean
}

export type AnswerKind = 'line' | 'paragraph' | 'list'

export interface BootSample {
  readonly contender: ContenderName
  readonly round: number
  /** From the start of its process until it takes a message. */
  readonly readyMs: number
}

export interface MemorySample {
  readonly round: number
  /** Resident, after the first turn and after the last of the round. */
  readonly earlyMiB: number
  readonly lateMiB: number
  /** Of the CLI, which every contender has beside it. */
  readonly cliMiB: number
}

export interface Results {
  readonly turns: readonly TurnSample[]
  readonly boots: readonly BootSample[]
  readonly memory: readonly MemorySample[]
  /** Cores that other programs took meanwhile. */
  readonly foreignCores: number
}
