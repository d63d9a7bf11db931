/** Which variables a program reads: a setting that no page names is one that no operator finds. */
import type { Environment } from '../boot/environment.ts'

/** `<NAME>_FILE` is another way to set `<NAME>`. */
export function askedVariables(read: (env: Environment) => unknown): readonly string[] {
  const asked = new Set<string>()
  const env = new Proxy<Environment>(
    {},
    {
      get: (_env, name) => {
        asked.add(String(name).replace(/_FILE$/, ''))
        return undefined
      },
    },
  )
  try {
    read(env)
  } catch {
    // Nothing is set, so the settings are refused, after all of them were read.
  }
  return [...asked]
}

export function unlisted(names: readonly string[], page: string): readonly string[] {
  return names.filter((name) => ![name, `${name}_FILE`].some((one) => page.includes(`\`${one}\``)))
}
