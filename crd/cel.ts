/**
 * What an API server checks beyond the shape of a value, in the Common Expression Language (x-kubernetes-validations). A rule
 * with `oldSelf` judges a change. Each word costs of a budget of the server's, so texts and lists that rules read are bounded.
 */
export interface CelRule {
  readonly rule: string
  readonly message: string
}

/** The keyword of a schema that carries rules. */
export const celKeyword = 'x-kubernetes-validations'

/** Longest text of a quantity: the rules below read it. */
export const longestQuantity = 32

/** A size only grows: one that no volume ever has would stay for ever. */
export const volumeSize: CelRule = {
  rule: 'isQuantity(self) && quantity(self).isGreaterThan(quantity("0")) && quantity(self).isLessThan(quantity("1Ei"))',
  message: 'must be a quantity above zero and below 1Ei, such as 10Gi',
}

/** A volume cannot be made smaller. */
export const onlyGrows: CelRule = {
  rule: '!isQuantity(self) || !isQuantity(oldSelf) || quantity(self).compareTo(quantity(oldSelf)) >= 0',
  message: 'storage only grows',
}

export function unchangeable(what: string): CelRule {
  return {
    rule: 'self == oldSelf',
    message: `${what} cannot change: delete the resource, or give the new one another name`,
  }
}

/** Without the block its sizes would have their defaults, which may be smaller. */
export function staysThere(block: string): CelRule {
  return {
    rule: `!has(oldSelf.${block}) || has(self.${block})`,
    message: `${block} cannot be taken away: storage only grows`,
  }
}

export function noneOf(words: readonly string[], message: string): CelRule {
  return { rule: `!(self in [${words.map((word) => JSON.stringify(word)).join(', ')}])`, message }
}

/** What ends in labels and branch names (NAME-5). */
export const labelName: CelRule = {
  rule: "self.metadata.name.size() <= 52 && !self.metadata.name.contains('.')",
  message: 'a name has lower-case letters, digits and dashes, and at most 52 characters',
}
