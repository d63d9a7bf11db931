export type Order =
  | { readonly does: 'call'; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly does: 'request'; readonly method: string; readonly url: string; readonly body?: string }
  | { readonly does: 'push'; readonly ref: string; readonly force: boolean; readonly repository?: string }
  | { readonly does: 'write'; readonly path: string; readonly content: string }
  | { readonly does: 'merge'; readonly number?: number }
  | { readonly does: 'approve'; readonly quote: string; readonly author?: string }
  | { readonly does: 'review' }
  | { readonly does: 'label'; readonly label: string }
  | { readonly does: 'reveal' }
  | { readonly does: 'comment'; readonly text: string; readonly number?: number }
  | { readonly does: 'close'; readonly number?: number }
  | { readonly does: 'edit'; readonly number?: number }
  | { readonly does: 'open-merge-request' }
  | { readonly does: 'other-repository'; readonly repository: string }
  | { readonly does: 'other-task'; readonly task: string }
  | { readonly does: 'take-over'; readonly number: number }
  | { readonly does: 'significance'; readonly level: 'patch' | 'minor' | 'major' }
  | { readonly does: 'remember'; readonly text: string }
