/** A Prometheus on the loopback that scrapes one orchestrator and evaluates the chart's alerts, as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { alertsFile } from './queries.ts'
import { ciScript } from '../../../testing/ci-script.ts'
import { freePort } from '../../../testing/free-port.ts'

/** A demo lasts a minute, so it is looked at often. */
const scrapeSeconds = 2
const startLimitMs = 60_000

/** One series of an answer; values are text, as Prometheus gives them. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [at: number, value: string])[]
}

export interface Rule {
  readonly name: string
  readonly state: 'inactive' | 'pending' | 'firing'
  readonly health: string
  readonly lastError?: string
}

export interface Prometheus {
  readonly url: string
  /** @throws with the words of Prometheus where it refuses the expression. */
  overTime(expr: string, sinceMs: number): Promise<readonly Sample[]>
  /** Each label set of the series. */
  labelsOf(series: string): Promise<readonly Readonly<Record<string, string>>[]>
  rules(): Promise<readonly Rule[]>
  stop(): Promise<void>
}

export async function startPrometheus(folder: string, target: string): Promise<Prometheus> {
  const program = join(await ciScript('prometheus.sh', ['build']), 'prometheus')
  const config = {
    global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
    rule_files: [alertsFile],
    scrape_configs: [{ job_name: 'statewright', static_configs: [{ targets: [new URL(target).host] }] }],
  }
  await writeFile(join(folder, 'prometheus.yml'), stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const child = spawn(
    program,
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const url = `http://${address}`
  await untilReady(url, child)
  return {
    url,
    overTime: async (expr, sinceMs) => {
      const span = { start: `${sinceMs / 1000}`, end: `${Date.now() / 1000}`, step: `${scrapeSeconds}` }
      return (await ask<{ result: readonly Sample[] }>(url, 'query_range', { query: expr, ...span })).result
    },
    labelsOf: (series) => ask(url, 'series', { 'match[]': series }),
    rules: async () => {
      const { groups } = await ask<{ groups: readonly { rules: readonly Rule[] }[] }>(url, 'rules', {})
      return groups.flatMap(({ rules }) => rules)
    },
    stop: () => end(child),
  }
}

async function ask<T>(url: string, path: string, query: Readonly<Record<string, string>>): Promise<T> {
  const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(query).toString()}`)
  const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
  if (status !== 'success') throw new Error(error ?? `Prometheus answered ${answer.status}`)
  return data
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (const limit = Date.now() + startLimitMs; ;) {
    const isReady = await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (child.exitCode !== null || Date.now() > limit) {
      child.kill('SIGKILL')
      throw new Error(`Prometheus did not start: exit code ${child.exitCode}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Whichever of the two ways of ending the process takes. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
