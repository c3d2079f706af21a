// The style sheet has no exports: a bundler takes it from `import "@doorcode/browser/phone-login.css"`.
export {};
