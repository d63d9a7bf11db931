import { UsageError } from '../args.ts'

export type ModelChoice =
  | { readonly provider: 'scripted' }
  | { readonly provider: 'anthropic'; readonly key: string; readonly oauth: boolean }

/** The scripted model, or the user's own key or subscription: the one place that reads them, at the user's word. */
export function modelChoice(provider: string, env: Readonly<Record<string, string | undefined>>): ModelChoice {
  if (provider === 'scripted') return { provider }
  if (provider !== 'anthropic') throw new UsageError(`--model-provider takes scripted or anthropic, not ${provider}`)
  const oauth = env['CLAUDE_CODE_OAUTH_TOKEN']
  const key = env['ANTHROPIC_API_KEY'] ?? oauth
  if (key === undefined || key === '')
    throw new Error('--model-provider anthropic needs ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN in the environment')
  return { provider, key, oauth: env['ANTHROPIC_API_KEY'] === undefined }
}

/**
 * How far pods and their agents are walled off. A scripted model obeys its scenario and nothing else; a real one runs behind
 * walls or not at all, unless somebody waives them (SECURITY-RULE-3).
 */
export function wallsOf({
  model,
  unsafeNoIsolation,
}: {
  readonly model: Pick<ModelChoice, 'provider'>
  readonly unsafeNoIsolation: boolean
}): 'none' | 'auto' | 'required' {
  if (unsafeNoIsolation) return 'none'
  return model.provider === 'scripted' ? 'auto' : 'required'
}
