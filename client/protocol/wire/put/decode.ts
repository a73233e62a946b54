/** The `put` axis: whether PUT replaces or merges a document. Spec, "Endpoints / Documents". */
export const putForms = { replace: { means: 'replace' }, merge: { means: 'update' } } as const satisfies {
  readonly [form: string]: { readonly means: 'replace' | 'update' }
}

export type PutMeaning = (typeof putForms)[keyof typeof putForms]['means']
