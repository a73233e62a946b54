/** Fields that usually name a document, likeliest first. */
export const namingFields = ['title', 'name', 'label', 'subject', 'email', 'text']

/** Ranks a field: the lower, the likelier it names its document. All other fields rank last. */
export function namingRank(field: string): number {
  const at = namingFields.indexOf(field.toLowerCase())
  return at < 0 ? namingFields.length : at
}
