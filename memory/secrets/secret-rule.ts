export interface SecretRule {
  readonly what: string
  /** Where the first such secret of the text begins. Linear in the text, whoever wrote it. */
  readonly find: (text: string) => number | undefined
}
