/** Lists, maps and what is written as `type[A]`: no definitions of the repository, but they give some. */
import { classItself, each, item, keyed, listed } from '../facts.ts'
import type { Container, Meaning } from './meaning.ts'

const marks: ReadonlySet<string> = new Set([listed, keyed, classItself])

export function isMark(step: string): boolean {
  return marks.has(step)
}

export function containerOf(of: Meaning, kind: string): Container {
  return { is: 'container', kind, of, sure: of.sure }
}

/** Methods of lists and maps in any language, by what they give. */
const elements: ReadonlySet<string> = new Set(
  'at find findLast first get get_mut last next pop popleft setdefault shift'.split(' '),
)
const same: ReadonlySet<string> = new Set('concat copy filter iter reverse slice sort toReversed toSorted'.split(' '))

/** What it gives is local where nothing of the repository is meant: lists have methods of their own. */
export function containerStep(container: Container, step: string): Meaning | undefined {
  const { kind, of, sure } = container
  if (isMark(step)) return containerOf(container, step)
  if (kind === classItself) return undefined
  const element = lessSure(of.is === 'container' && of.kind === classItself ? of.of : of, sure)
  if (step === item || (step === each && kind === listed)) return element
  if (elements.has(step)) return { is: 'giver', gives: element, sure }
  if (step === 'values') return { is: 'giver', gives: containerOf(lessSure(of, sure), listed), sure }
  if (same.has(step)) return { is: 'giver', gives: container, sure }
  return step === each ? undefined : { is: 'local', sure }
}

/** An element is no surer than what it was taken from. */
function lessSure(meaning: Meaning, sure: number): Meaning {
  return { ...meaning, sure: Math.min(meaning.sure, sure) }
}
