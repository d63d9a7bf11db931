/**
 * What the CLI would change or choke on is changed here, so that what is reported as sent is what the model gets
 * (facts of Claude Code 2.1.329): tabs become four spaces, CR and CRLF become LF, an embedded end-of-paste would end
 * the paste early, and invisible characters swallow the Enter.
 */
export function sanitise(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u2028\u2029]/g, '\n')
    .replace(/\t/g, '    ')
    .replace(ansiSequence, '')
    .replace(control, '')
    .replace(invisible, '')
    .replace(/(?<!\n)\n+$/, '')
}

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const ansiSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g
// oxlint-disable-next-line no-control-regex -- see above
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g

/** Format characters (bidi, zero width, soft hyphen, tags), unpaired surrogates and non-characters. */
const invisible = /\p{Cf}|\p{Cs}|[\ufdd0-\ufdef\ufffe\uffff]/gu
