/** The actions in a table of permissions, in order. */
export const rightsActions = ['create', 'list', 'get', 'update', 'delete'] as const
export type RightsAction = (typeof rightsActions)[number]
