/** Places where a few values are of another type than the rest: most often mistakes. */
import { counted } from '../terminal/print.js'
import { areMostlyIds, countOf, countsByKind, type Observed } from './observe.js'
import { mostlyOf, type ShapeOptions } from './shapes.js'

export interface FewValues {
  readonly isLink: boolean
  /** As "3 of 40 values of posts.views are not of type number". */
  readonly words: string
}

/** @param path of the place: a collection, and the names of fields below it */
export function findFewValues(seen: Observed, path: string, linkOf: ShapeOptions['linkOf']): FewValues[] {
  const here = fewAt(seen, path, linkOf(seen))
  const fields = [...(seen.objects?.fields ?? [])].flatMap(([name, place]) =>
    findFewValues(place, `${path}.${name}`, linkOf),
  )
  return [...here, ...fields, ...(seen.items ? findFewValues(seen.items, path, linkOf) : [])]
}

function fewAt(seen: Observed, path: string, collection: string | undefined): FewValues[] {
  const all = countOf(seen) - seen.nulls
  if (collection !== undefined && areMostlyIds(seen)) {
    const few = all - (seen.texts?.idCount ?? 0)
    return [
      { isLink: true, words: `${share(few, all, path)} ${few === 1 ? 'is no id' : 'are no ids'} of ${collection}` },
    ]
  }
  const kind = mostlyOf(seen)
  if (kind === undefined) return []
  const few = all - countsByKind(seen)[kind]
  return [{ isLink: false, words: `${share(few, all, path)} ${few === 1 ? 'is' : 'are'} not of type ${kind}` }]
}

function share(few: number, all: number, path: string): string {
  return `${few} of ${counted(all, 'value')} of ${path}`
}
