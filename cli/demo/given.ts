/** The options of a demo in a cluster: what belongs together, and what is missing, in one answer. */
import { resolve } from 'node:path'
import { count, flag, text, UsageError, type Parsed } from '../args.ts'
import type { StackOptions } from '../local/stack.ts'

const belonging = ['image', 'operator-url', 'internal-url', 'storage-class'] as const

/** `suffix`: of the namespace, which nobody else may have. @throws UsageError that names all that is missing or wrong. */
export function kubernetesOf(parsed: Parsed, suffix: string): StackOptions['kubernetes'] {
  const kubeconfig = text(parsed, 'kubeconfig')
  if (kubeconfig === undefined) {
    const idle = belonging.filter((name) => text(parsed, name) !== undefined)
    if (idle.length > 0) throw new UsageError(`${listed(idle)}: only with --kubeconfig FILE`)
    return flag(parsed, 'kubernetes') ? 'own' : undefined
  }
  const faults = [...missingOf(parsed), ...wrongIn(parsed)]
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
  return {
    // What it names lies beside it, and the orchestrator's own kubeconfig is elsewhere.
    kubeconfig: resolve(kubeconfig),
    namespace: `statewright-demo-${suffix}`,
    image: text(parsed, 'image')!,
    operatorUrl: withoutSlash(text(parsed, 'operator-url')!),
    internalUrl: text(parsed, 'internal-url') && withoutSlash(text(parsed, 'internal-url')!),
    storageClass: text(parsed, 'storage-class'),
  }
}

/** @throws UsageError that names all that `--chart` and `--upgrade` miss. */
export function checkChart(parsed: Parsed, dir: string): void {
  const isChart = flag(parsed, 'chart')
  if (!isChart) {
    if (flag(parsed, 'upgrade')) throw new UsageError('--upgrade: only with --chart')
    return
  }
  const faults = [
    ...(flag(parsed, 'kubernetes') ? [] : ['--chart needs --kubernetes']),
    ...(text(parsed, 'kubeconfig') === undefined
      ? []
      : ['--chart installs in a Kubernetes of its own: no --kubeconfig']),
    ...(text(parsed, 'chaos') === undefined ? [] : ['--chaos ends processes of this machine: it is not for --chart']),
    // The chart's own volume covers it in the pod.
    ...(`${dir}/`.startsWith('/tmp/') ? [`--chart needs --dir outside of /tmp, not ${dir}`] : []),
  ]
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
}

/** Of the orchestrator. 0: any free one. */
export function portOf(parsed: Parsed): number {
  const operatorUrl = text(parsed, 'operator-url')
  return count(parsed, 'port', operatorUrl === undefined ? 0 : Number(new URL(operatorUrl).port))
}

function missingOf(parsed: Parsed): readonly string[] {
  const operatorUrl = text(parsed, 'operator-url')
  const isPortOpen = operatorUrl !== undefined && isUrl(operatorUrl) && new URL(operatorUrl).port === ''
  const missing = [
    ...(flag(parsed, 'kubernetes') ? [] : ['--kubernetes']),
    ...(text(parsed, 'image') ? [] : ['--image IMAGE']),
    ...(operatorUrl ? [] : ['--operator-url URL']),
    ...(isPortOpen && text(parsed, 'port') === undefined ? ['--port N, as the URL of --operator-url has none'] : []),
  ]
  return missing.length === 0 ? [] : [`--kubeconfig needs ${missing.join(', ')}`]
}

function wrongIn(parsed: Parsed): readonly string[] {
  const urls = (['operator-url', 'internal-url'] as const).filter(
    (name) => text(parsed, name) && !isUrl(text(parsed, name)!),
  )
  return [
    ...urls.map((name) => `--${name} takes a URL of http or https, not ${text(parsed, name)}`),
    ...(text(parsed, 'chaos') === undefined
      ? []
      : ['--chaos ends servers and processes of this machine: it is not for a cluster of --kubeconfig']),
  ]
}

function isUrl(given: string): boolean {
  return URL.canParse(given) && ['http:', 'https:'].includes(new URL(given).protocol)
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function listed(names: readonly string[]): string {
  return names.map((name) => `--${name}`).join(', ')
}
