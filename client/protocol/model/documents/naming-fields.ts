/** Fields that say what a document is called, the likeliest first. */
export const namingFields = ['title', 'name', 'label', 'subject', 'email', 'text']

/** The less, the likelier the field names its document; all that name none have the same. */
export function namingRank(field: string): number {
  const at = namingFields.indexOf(field.toLowerCase())
  return at < 0 ? namingFields.length : at
}
