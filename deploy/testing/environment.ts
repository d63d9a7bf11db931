/** The variables that the chart's Deployments give, as the programs read them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { readSettings } from '../../orchestrator/settings/settings.ts'
import { named, type Manifest } from './chart.ts'

export interface Variable {
  readonly name: string
  readonly value?: string
}

/** Of the container that a Deployment has. */
export function environmentOf(manifests: readonly Manifest[], name = 'sw'): readonly Variable[] {
  const { template } = named(manifests, 'Deployment', name).spec as {
    template: { spec: { containers: { env: Variable[] }[] } }
  }
  return template.spec.containers[0]!.env
}

/** The orchestrator’s. */
export function settingsOf(manifests: readonly Manifest[]): ReturnType<typeof readSettings> {
  return readSettings(mounted(environmentOf(manifests)), 'claude')
}

/** As a program finds it in its pod, with a file where each Secret is mounted. @param secrets what is in them, by setting. */
export function mounted(
  environment: readonly Variable[],
  secrets: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'chart-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return Object.fromEntries(
    environment.map(({ name, value = '' }) => {
      if (!name.endsWith('_FILE')) return [name, value]
      const setting = name.replace(/_FILE$/, '')
      expect(value).toBe(`/run/statewright/secrets/${setting}`)
      const file = join(folder, value)
      mkdirSync(join(file, '..'), { recursive: true })
      writeFileSync(file, secrets[setting] ?? 'a secret')
      return [name, file]
    }),
  )
}
