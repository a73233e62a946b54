/** Names of the files in the folder of a run. */
export const reportName = 'report.json'
export const targetName = 'target.json'
