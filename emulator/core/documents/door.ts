/**
 * Exports all that other rooms may use of this one. The ground below it may import `idempotency.ts` and the type of
 * `joined-creates.ts`, and everything that reads JSON may import `weight.ts`.
 */
export { aggregateDocuments, countDocuments, groupDocuments } from './aggregates.js'
export { requireChangeable, updateDocuments } from './change-documents.js'
export { checkAndSerialize, openCompleter } from './check-and-serialize.js'
export { createDocuments } from './create-documents.js'
export { removeDependants } from './dependants.js'
export { describeDocuments } from './describe-documents.js'
export {
  createDocument,
  type DocumentWrite,
  getDocument,
  listDocuments,
  replaceDocument,
  updateDocument,
} from './documents.js'
export { exportDocuments } from './export-documents.js'
export { compareVersions, documentHistory } from './history.js'
export { openJoinedCreates } from './joined-creates.js'
export { collectLinks, type NewLinks } from './links.js'
export { planSettings } from './plan-settings.js'
export type { VersionGuard } from './plan-write.js'
export { populate } from './populate.js'
export { previewDeletion } from './preview-deletion.js'
export { removeDocument, removeDocuments } from './remove-documents.js'
export { requireTimes } from './require-times.js'
export { getCreator, transferDocument } from './transfer.js'
export { type SavedDocument, upsertDocument } from './upsert.js'
export { insertRows, place, publishRecorded } from './writing.js'
