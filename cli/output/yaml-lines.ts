import { Document, visit } from 'yaml'
import { kubectlTags } from '../../crd/documents.ts'
import { visible } from '../../http/operational/visible.ts'

/** Documents of YAML. A text that `visible` changes stands in double quotes, where a reader takes the numbers back. */
export function yamlLines(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value, index) => [...(index === 0 ? [] : ['---']), ...linesOf(value)])
}

function linesOf(value: unknown): readonly string[] {
  // People read no aliases.
  const document = new Document(value, { aliasDuplicateObjects: false, customTags: kubectlTags })
  visit(document, {
    Scalar: (_key, scalar) => {
      const plain = String(scalar.value).replaceAll('\n', '')
      if (visible(plain) !== plain) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString().replace(/\n$/, '').split('\n')
}
