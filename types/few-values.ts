/** Finds places where a few values differ in type from the rest. Most are mistakes. */
import { counted } from '../client/protocol/model/figures.js'
import { areMostlyIds, countsByKind, countValues, type Observed } from './observe.js'
import { mainKind, type ShapeOptions } from './shapes.js'

export interface FewValues {
  readonly isLink: boolean
  /** For example "3 of 40 values of posts.views are not of type number". */
  readonly words: string
}

/** @param path the collection followed by field names */
export function findFewValues(seen: Observed, path: string, linkOf: ShapeOptions['linkOf']): FewValues[] {
  const here = fewAt(seen, path, linkOf(seen))
  const fields = [...(seen.objects?.fields ?? [])].flatMap(([name, place]) =>
    findFewValues(place, `${path}.${name}`, linkOf),
  )
  return [...here, ...fields, ...(seen.items ? findFewValues(seen.items, path, linkOf) : [])]
}

function fewAt(seen: Observed, path: string, collection: string | undefined): FewValues[] {
  const all = countValues(seen) - seen.nulls
  if (collection !== undefined && areMostlyIds(seen)) {
    const few = all - (seen.texts?.idCount ?? 0)
    return [
      {
        isLink: true,
        words: `${share(few, all, path)} ${few === 1 ? 'is not an id' : 'are not ids'} of ${collection}`,
      },
    ]
  }
  const kind = mainKind(seen)
  if (kind === undefined) return []
  const few = all - countsByKind(seen)[kind]
  return [{ isLink: false, words: `${share(few, all, path)} ${few === 1 ? 'is' : 'are'} not of type ${kind}` }]
}

function share(few: number, all: number, path: string): string {
  return `${few} of ${counted(all, 'value')} of ${path}`
}
