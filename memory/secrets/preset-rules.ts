/** The rules that secretlint's authors keep, run by a context of ours: its own keeps a mark of each run and compares all findings in pairs. */
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import { isDummy } from './dummies.ts'
import type { SecretRule } from './secret-rule.ts'

interface Report {
  readonly message: { readonly messageId: string }
  readonly range: readonly [from: number, to: number]
}

/** What we use of a rule. */
interface PresetRule {
  readonly meta: { readonly id: string }
  create(
    context: {
      createTranslator(): (messageId: string) => Report['message']
      report(report: Report): void
    },
    options: object,
  ): { file(source: { readonly content: string }): unknown }
}

const prefix = '@secretlint/secretlint-rule-'

/** What these find, a rule of ours finds, and more. */
const leftOut: readonly string[] = [
  // A comment in a stranger's text would switch the others off.
  'filter-comments',
  // It opens files by their names. Its JSON holds a private key.
  'gcp',
  // It misses keys that are encrypted, cut, or in the removed lines of a diff.
  'privatekey',
  // It misses the two of five keys that have hyphens.
  'sendgrid',
]
/** A number that is in every address of a resource. */
const noSecret = 'AWSAccountID'

const preset: readonly PresetRule[] = rules

export const presetRules: readonly SecretRule[] = preset.flatMap((rule) => {
  const what = rule.meta.id.replace(prefix, '')
  return leftOut.includes(what) ? [] : [{ what, find: (text: string) => firstOf(rule, text) }]
})

function firstOf(rule: PresetRule, text: string): number | undefined {
  const starts: number[] = []
  const context = {
    // Its messages quote the secret.
    createTranslator: () => (messageId: string) => ({ messageId }),
    report: ({ message, range: [from, to] }: Report) => {
      if (message.messageId !== noSecret && !isDummy(text.slice(from, to))) starts.push(from)
    },
  }
  rule.create(context, { enableIDScanRule: true }).file({ content: text })
  return starts[0]
}
