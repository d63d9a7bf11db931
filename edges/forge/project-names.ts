/**
 * Which Project a name means. Routes and webhooks carry the bare name, so it is unique over all namespaces: the Project
 * that was applied first holds it (RESOURCES-19). Another one of the name is found by nobody, whatever its namespace, so
 * it can take neither the holder's Secret nor its settings, and no webhook reaches it (RESOURCES-20).
 */
import { bareName } from './projects.ts'
import type { Resource } from '../ports/resources.ts'

/** Of the Projects of one name, the one that holds it. */
export type HolderRule = (claimants: readonly Resource[]) => Resource | undefined

/** The namespace decides between two of the same moment, so that every process says the same. */
export const appliedFirst: HolderRule = (claimants) =>
  claimants.toSorted((one, other) => one.createdAt - other.createdAt || compare(one.namespace, other.namespace))[0]

export function holderOf(projects: readonly Resource[], name: string, rule: HolderRule): Resource | undefined {
  return rule(projects.filter((one) => one.name === name))
}

/** `name`: `<namespace>/<name>`, or the bare name. */
export function projectNamed(projects: readonly Resource[], name: string, rule: HolderRule): Resource | undefined {
  const holder = holderOf(projects, bareName(name), rule)
  if (holder === undefined || (name.includes('/') && idOf(holder) !== name)) return undefined
  return holder
}

export function idOf({ namespace, name }: Pick<Resource, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
