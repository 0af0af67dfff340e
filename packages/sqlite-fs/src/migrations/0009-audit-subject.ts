/** Adds to the audit log who proved to be the caller, where callers prove it. */
export const auditSubject: string = `
ALTER TABLE audit ADD COLUMN subject TEXT;
`;
