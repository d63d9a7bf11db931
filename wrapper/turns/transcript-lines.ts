/** The CLI's transcript as lines for people: the newest that fit, without secrets (TRANSCRIPT-5, TRANSCRIPT-6). */
import { mostTranscriptBytes, transcriptLineBytes, type Transcript } from '../../machines/turn/transcript.ts'
import { redact } from '../../runtime/redact.ts'
import { hideSecrets } from '../../runtime/secrets-in-text.ts'
import { parseTranscriptLine, type TranscriptEntry } from './transcript.ts'

/** Characters of one text of an entry. */
const most = { text: 4000, input: 500, result: 1000, name: 200 }

/** `secrets`: what the wrapper knows and nobody may read. */
export function transcriptLines(text: string, secrets: readonly string[]): Pick<Transcript, 'lines' | 'truncated'> {
  const shown: (readonly string[])[] = []
  let left = mostTranscriptBytes
  for (const line of text.split('\n').toReversed()) {
    const entry = parseTranscriptLine(line)
    if (entry === undefined) continue
    const lines = linesOf(entry, secrets)
    left -= lines.reduce((sum, one) => sum + Buffer.byteLength(one) + transcriptLineBytes, 0)
    if (left < 0) return { lines: shown.toReversed().flat(), truncated: true }
    shown.push(lines)
  }
  return { lines: shown.toReversed().flat(), truncated: false }
}

function linesOf(entry: TranscriptEntry, secrets: readonly string[]): readonly string[] {
  // Masked before it is cut: half of a secret is none that a pattern knows.
  const rendered = (who: string, text: string, letters: number): readonly string[] =>
    text === '' ? [] : indented(`${entry.at} ${who}: ${shortened(hideSecrets(text, secrets), letters)}`)
  if (entry.type === 'user')
    return [
      ...rendered('user', entry.text, most.text),
      ...entry.results.flatMap(({ text, isError }) =>
        rendered(isError ? 'failed' : 'result', text || '-', most.result),
      ),
    ]
  const calls = entry.tools.flatMap(({ name, input }) =>
    // Its texts before they become JSON, which hides where a word begins.
    rendered(
      'call',
      `${shortened(hideSecrets(name, secrets), most.name)} ${JSON.stringify(redact(input)) ?? ''}`,
      most.input,
    ),
  )
  return [...rendered(entry.isApiError ? 'error' : 'agent', entry.text, most.text), ...calls]
}

function shortened(text: string, letters: number): string {
  if (text.length <= letters) return text
  return `${text.slice(0, letters).toWellFormed()}… (${text.length - letters} characters more)`
}

/** Only an entry begins at the margin: no text looks like one. */
function indented(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line, index) => (index === 0 ? line : `  ${line}`))
}
