import { parkedMarker } from '../parked-marker.ts'
import type { LabelSpec } from '../port.ts'
import type { ProjectSettings } from '../projects.ts'

const UNKNOWN = { color: 'ededed', description: '' }

/** Looks of the labels that the platform writes (LABELS, docs/contract/orchestrator.md). People may restyle them: existing ones stay. */
export function labelSpecsOf({ scm: { labels }, triggerLabel }: ProjectSettings): readonly LabelSpec[] {
  const specs: LabelSpec[] = [
    { name: triggerLabel, color: '5319e7', description: 'The platform works on this' },
    { name: labels.brainstorming, color: 'fbca04', description: 'An agent writes a plan' },
    { name: labels.approved, color: '0e8a16', description: 'A maintainer approved by comment' },
    { name: labels.implementation, color: '1d76db', description: 'An agent writes the change' },
    { name: labels.declined, color: 'b60205', description: 'Declined' },
    { name: labels.incident, color: 'd93f0b', description: 'An alert led to this' },
    { name: labels.priority ?? '', color: 'e99695', description: 'The platform starts this first' },
  ]
  return specs.filter(({ name }) => name !== '')
}

/** Of the platform's own use: made where it is first needed. */
const internal: readonly LabelSpec[] = [
  { name: parkedMarker, color: 'c5def5', description: 'The Task waits for a person' },
]

export function labelSpecOf(name: string, project: ProjectSettings): LabelSpec {
  return [...labelSpecsOf(project), ...internal].find((spec) => spec.name === name) ?? { name, ...UNKNOWN }
}
