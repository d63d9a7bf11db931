import { parseAllDocuments, type ScalarTag, type Tags } from 'yaml'

/**
 * kubectl reads YAML 1.1, in which these words are booleans: what a server refuses of `off` is refused on one machine too, and
 * what it takes of `enabled: yes` is taken.
 */
const bareWords: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (word) => /^(?:y|on)/i.test(word),
}

/** Octal and binary numbers of YAML 1.1, and the underscores in them. */
const bareNumbers: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0b[01_]+|0[0-7_]+|[1-9][0-9]*_[0-9_]*)$/,
  resolve: (word) => {
    const digits = word.replaceAll('_', '').replace(/^[-+]/, '')
    const value = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits)
    return word.startsWith('-') ? -value : value
  },
}

/** What is written with them stands in quotes where kubectl would read a word as something else. */
export const kubectlTags = (tags: Tags): Tags => [bareWords, bareNumbers, ...tags]

/**
 * The documents of a manifest, as kubectl reads them; what stands between two separators and says nothing is none.
 * @throws the parser's word, where it is no YAML.
 */
export function readDocuments(source: string): readonly unknown[] {
  return parseAllDocuments(source, { customTags: kubectlTags }).flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new Error(error.message)
    const value = document.toJS() as unknown
    return value === null ? [] : [value]
  })
}
