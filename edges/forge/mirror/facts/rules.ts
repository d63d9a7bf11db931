/** By what the mirror tells people and hands apart. They are passed in, so that a test can show what each one keeps out. */
import { withTelling } from './hands.ts'
import { judgedThread } from './judged-thread.ts'
import { peopleOf } from './people.ts'
import { notesAfter } from './subject-text.ts'
import { standingWords } from './words.ts'

export interface MirrorRules {
  readonly people: typeof peopleOf
  /** What a telling makes of a comment, and of the text of its subject. */
  readonly hands: typeof withTelling
  readonly text: typeof notesAfter
  /** What the words of maintainers come to. */
  readonly judged: typeof judgedThread
  /** Which of them withhold the merge. */
  readonly words: typeof standingWords
}

export const mirrorRules: MirrorRules = {
  people: peopleOf,
  hands: withTelling,
  text: notesAfter,
  judged: judgedThread,
  words: standingWords,
}
