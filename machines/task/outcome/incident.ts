/** What an alert comes to: an issue with the incident label, or a note that it was false. */
import { effect } from '../../emit.ts'
import { titleKey } from '../../rules/titles.ts'
import { afterPod } from '../comments.ts'
import { noteByPlatform } from '../notes.ts'
import { accepted, type Judge } from './judgement.ts'
import type { IncidentPayload } from './payloads.ts'

function listed(rules: readonly string[]): string {
  return rules.map((rule) => `\`${rule}\``).join(', ')
}

export const fileIssue: Judge = (context, event) => {
  const { issue, alert_rules, reason } = event.payload as unknown as IncidentPayload
  const { repo, title, body } = issue ?? { repo: '', title: '', body: '' }
  const filing = effect('fileIssue', {
    project: context.config.project,
    repository: repo,
    title,
    body: `${body}\n\nAlert rules: ${listed(alert_rules)}. ${reason}`,
    sort: 'incident',
    // An alert that fires again while its issue is open is the same incident.
    dedupe: titleKey(repo, alert_rules.toSorted().join(' ')),
  })
  return accepted(context, event, { to: 'delivered', change: afterPod(context, [filing]) })
}

export const falsePositive: Judge = (context, event) => {
  const { alert_rules, reason } = event.payload as unknown as IncidentPayload
  const body = `False positive of ${listed(alert_rules)}: ${reason}`
  return accepted(context, event, { to: 'delivered', change: noteByPlatform(context, 'finding', body) })
}
