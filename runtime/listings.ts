/** What lists show of an actor, as its definition says it: made of its state alone, so that all of it can be made anew. */
import type { Listed } from '../machines/definition.ts'
import { commitText, namedLine } from '../machines/why/search.ts'
import { isQuarantined, type ActorState } from './actor-state.ts'
import type { ListingRow } from './store/rows.ts'

const mostTexts = 8
const longestText = 200

/** Undefined: nothing is listed of it. */
export function listingOf(listed: Listed | undefined, state: ActorState): ListingRow | undefined {
  if (listed === undefined || state === undefined || isQuarantined(state)) return undefined
  const { address, seq, path, status, updatedAt } = state.row
  const texts = textsOf(listed, state.snapshot.context, path)
  return {
    address,
    seq,
    version: listed.version,
    words: [address, ...texts.flatMap(([name, text]) => (name === commitText ? [] : [text]))].join('\n').toLowerCase(),
    named: texts.flatMap(([name, text]) => text.split(' ').map((word) => namedLine(name, word))).join(''),
    endedAt: status === 'done' ? updatedAt : null,
  }
}

/** Of one actor, whenever it was written. */
export function sameListing(one: ListingRow | undefined, other: ListingRow | undefined): boolean {
  return (
    one?.words === other?.words && one?.named === other?.named && (one?.endedAt === null) === (other?.endedAt === null)
  )
}

/** Whole states of a path, in any case: `ready` is not in `notReady`, and `stage.live` is in all states below it. */
export function inPath(path: string, part: string): boolean {
  return partsOf(path).includes(partsOf(part))
}

/** Each state between dots, as `like` of the store has a path too. */
export function partsOf(path: string): string {
  return `.${path.toLowerCase().replaceAll(' ', '. .')}.`
}

/** A list is no reason to refuse a step: what cannot be listed has no texts. PostgreSQL takes neither NUL nor half a character. */
function textsOf(
  listed: Listed,
  context: Parameters<Listed['of']>[0],
  path: string,
): readonly (readonly [name: string, text: string])[] {
  try {
    return Object.entries(listed.of(context, path))
      .map(([name, text]) => [name, plain(text)] as const)
      .filter(([, text]) => text !== '')
      .slice(0, mostTexts)
  } catch {
    return []
  }
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text
    .slice(0, longestText)
    .toWellFormed()
    .replaceAll(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim()
}
