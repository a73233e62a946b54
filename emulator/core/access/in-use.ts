/** The error for records that cannot be deleted, because documents link to them. Contract 13.3. */
import { plainError } from '../../../client/protocol/model/error-words.js'
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'

interface Linking {
  /** Name of the collection. */
  readonly name: string
  readonly documents: number
}

/** @param linking only collections that the caller may read, with their documents that still link */
export function documentInUse(linking: readonly Linking[]): SvcError {
  const [first, ...others] = linking
  if (!first) return plainError('DOCUMENT_IN_USE')
  const verb = others.length === 0 && first.documents === 1 ? 'links' : 'link'
  const found = linking.map(({ name, documents }) => `${countDocuments(documents)} in "${name}"`)
  return new SvcError('DOCUMENT_IN_USE', `${found.join(' and ')} still ${verb} here.`)
}

/** Counting ends at a limit, so that a refusal stays cheap. */
export const maxCounted = sizes.maxPopulatedRecords

function countDocuments(documents: number): string {
  if (documents > maxCounted) return `More than ${formatCount(maxCounted)} documents`
  return `${formatCount(documents)} ${documents === 1 ? 'document' : 'documents'}`
}
