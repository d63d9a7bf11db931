import type { Label } from '../../store/records.ts'
import type { Json } from './common.ts'

export function labelPayload(label: Label): Json {
  return {
    id: label.id,
    name: label.name,
    description: label.description,
    description_html: label.description ?? '',
    color: `#${label.color}`,
    text_color: '#FFFFFF',
    archived: false,
    subscribed: false,
    priority: null,
    is_project_label: true,
  }
}
