/** Secrets of a stack that are made once. */
import type { KubeObject } from '../api/api.ts'
import { selectorOf } from './names.ts'
import { RefusedError, type Fields, type StackObjects } from './objects.ts'

/** What nobody guesses: letters, digits, `-` and `_` alone, since it stands in addresses. */
export type NewPassword = () => string

/**
 * As the server has it. `claim`: what lies there knows the password of old, so one that is missing is not made anew.
 * @throws RefusedError, where it is missing beside its claim.
 */
export async function madeOnce(
  objects: StackObjects,
  name: string,
  { claim, fields }: { readonly claim?: string; readonly fields: () => Fields },
): Promise<KubeObject> {
  const known = await objects.own('Secret', name)
  if (known !== undefined) return known
  const data = claim === undefined ? undefined : await objects.find('PersistentVolumeClaim', claim)
  if (data === undefined) return objects.make('Secret', name, fields())
  const [secret, lies] = [objects.title('Secret', name), objects.title('PersistentVolumeClaim', data.metadata.name)]
  throw new RefusedError(
    `${secret} is missing, and what lies in ${lies} has its password: restore the Secret, with its labels ${selectorOf(objects.names.labels)}, or delete the claim and all that it holds`,
  )
}
