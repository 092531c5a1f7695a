BEGIN TRANSACTION;
CREATE TABLE account (
	id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	role VARCHAR NOT NULL, 
	disabled BOOLEAN NOT NULL, 
	session_epoch INTEGER NOT NULL, 
	password_hash VARCHAR, 
	issuer VARCHAR, 
	subject VARCHAR, 
	email VARCHAR, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_account PRIMARY KEY (id), 
	CONSTRAINT fk_account_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT uq_account_annotator_id UNIQUE (annotator_id), 
	CONSTRAINT uq_account_issuer_subject UNIQUE (issuer, subject)
);
INSERT INTO "account" VALUES(10,10,'role 0 β-catenin ≤ 5 % 🧬	
''"',0,2147483647,NULL,NULL,NULL,NULL,'created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "account" VALUES(20,20,'role 1 ',1,2147483646,'password_hash 1 ','issuer 1 ','subject 1 ','email 1 ','created_at 1 ');
INSERT INTO "account" VALUES(30,30,'role 2 é, é: composed or not',0,2147483645,'password_hash 2 é, é: composed or not','issuer 2 é, é: composed or not','subject 2 é, é: composed or not','email 2 é, é: composed or not','created_at 2 é, é: composed or not');
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0007');
CREATE TABLE annotator (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_annotator PRIMARY KEY (id), 
	CONSTRAINT uq_annotator_name UNIQUE (name)
);
INSERT INTO "annotator" VALUES(10,'name 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "annotator" VALUES(20,'name 1 ','created_at 1 ');
INSERT INTO "annotator" VALUES(30,'name 2 é, é: composed or not','created_at 2 é, é: composed or not');
CREATE TABLE article (
	id INTEGER NOT NULL, 
	"key" VARCHAR NOT NULL, 
	pmid VARCHAR, 
	pmcid VARCHAR, 
	doi VARCHAR, 
	title VARCHAR NOT NULL, 
	journal VARCHAR, 
	year INTEGER, 
	licence VARCHAR, 
	split VARCHAR NOT NULL, 
	source VARCHAR NOT NULL, 
	full_text BOOLEAN NOT NULL, 
	sentence_count INTEGER NOT NULL, 
	warnings JSON NOT NULL, 
	imported_at VARCHAR NOT NULL, 
	CONSTRAINT pk_article PRIMARY KEY (id), 
	CONSTRAINT uq_article_doi UNIQUE (doi), 
	CONSTRAINT uq_article_key UNIQUE ("key"), 
	CONSTRAINT uq_article_pmcid UNIQUE (pmcid), 
	CONSTRAINT uq_article_pmid UNIQUE (pmid)
);
INSERT INTO "article" VALUES(10,'key 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL,NULL,'title 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL,NULL,'split 0 β-catenin ≤ 5 % 🧬	
''"','source 0 β-catenin ≤ 5 % 🧬	
''"',0,2147483647,'{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','imported_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "article" VALUES(20,'key 1 ','pmid 1 ','pmcid 1 ','doi 1 ','title 1 ','journal 1 ',2147483646,'licence 1 ','split 1 ','source 1 ',1,2147483646,'[]','imported_at 1 ');
INSERT INTO "article" VALUES(30,'key 2 é, é: composed or not','pmid 2 é, é: composed or not','pmcid 2 é, é: composed or not','doi 2 é, é: composed or not','title 2 é, é: composed or not','journal 2 é, é: composed or not',2147483645,'licence 2 é, é: composed or not','split 2 é, é: composed or not','source 2 é, é: composed or not',0,2147483645,'{"a\\u0000": -0.1}','imported_at 2 é, é: composed or not');
CREATE TABLE article_features (
	version_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	inputs_sha256 VARCHAR NOT NULL, 
	sentence_count INTEGER NOT NULL, 
	top BLOB NOT NULL, 
	top_rows BLOB NOT NULL, 
	rows BLOB NOT NULL, 
	CONSTRAINT pk_article_features PRIMARY KEY (version_id, article_id), 
	CONSTRAINT fk_article_features_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_article_features_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "article_features" VALUES(10,10,'inputs_sha256 0 β-catenin ≤ 5 % 🧬	
''"',2147483647,X'',X'',X'');
INSERT INTO "article_features" VALUES(20,20,'inputs_sha256 1 ',2147483646,X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
INSERT INTO "article_features" VALUES(30,30,'inputs_sha256 2 é, é: composed or not',2147483645,X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
CREATE TABLE article_score (
	evaluation_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	r_precision DOUBLE NOT NULL, 
	key_sentences INTEGER NOT NULL, 
	CONSTRAINT pk_article_score PRIMARY KEY (evaluation_id, article_id), 
	CONSTRAINT fk_article_score_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_article_score_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id)
);
INSERT INTO "article_score" VALUES(10,10,3.00000000000000044408e-01,2147483647);
INSERT INTO "article_score" VALUES(20,20,-1.0e-300,2147483646);
INSERT INTO "article_score" VALUES(30,30,12345678.9,2147483645);
CREATE TABLE assignment (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	strategy VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	score DOUBLE, 
	waiting INTEGER NOT NULL, 
	at_random BOOLEAN NOT NULL, 
	with_proposals BOOLEAN NOT NULL, 
	head_id INTEGER, 
	created_at VARCHAR NOT NULL, 
	leased_until VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	ending VARCHAR, 
	CONSTRAINT pk_assignment PRIMARY KEY (id), 
	CONSTRAINT fk_assignment_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT fk_assignment_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_assignment_head_id FOREIGN KEY(head_id) REFERENCES head (id)
);
INSERT INTO "assignment" VALUES(10,10,10,'strategy 0 β-catenin ≤ 5 % 🧬	
''"','reason 0 β-catenin ≤ 5 % 🧬	
''"',NULL,2147483647,0,0,NULL,'created_at 0 β-catenin ≤ 5 % 🧬	
''"','leased_until 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL);
INSERT INTO "assignment" VALUES(20,20,20,'strategy 1 ','reason 1 ',-1.0e-300,2147483646,1,1,20,'created_at 1 ','leased_until 1 ','ended_at 1 ','ending 1 ');
INSERT INTO "assignment" VALUES(30,30,30,'strategy 2 é, é: composed or not','reason 2 é, é: composed or not',12345678.9,2147483645,0,0,30,'created_at 2 é, é: composed or not','leased_until 2 é, é: composed or not','ended_at 2 é, é: composed or not','ending 2 é, é: composed or not');
CREATE TABLE audit_verdict (
	sentence_id INTEGER NOT NULL, 
	value VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	ranking VARCHAR NOT NULL, 
	rank INTEGER NOT NULL, 
	cosine DOUBLE NOT NULL, 
	id INTEGER NOT NULL, 
	event_id VARCHAR NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	given_at VARCHAR NOT NULL, 
	stored_at VARCHAR NOT NULL, 
	CONSTRAINT pk_audit_verdict PRIMARY KEY (id), 
	CONSTRAINT fk_audit_verdict_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT fk_audit_verdict_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_audit_verdict_sentence_id FOREIGN KEY(sentence_id) REFERENCES sentence (id), 
	CONSTRAINT uq_audit_verdict_event_id UNIQUE (event_id)
);
INSERT INTO "audit_verdict" VALUES(10,'value 0 β-catenin ≤ 5 % 🧬	
''"','version 0 β-catenin ≤ 5 % 🧬	
''"','ranking 0 β-catenin ≤ 5 % 🧬	
''"',2147483647,3.00000000000000044408e-01,10,'event_id 0 β-catenin ≤ 5 % 🧬	
''"',10,10,'given_at 0 β-catenin ≤ 5 % 🧬	
''"','stored_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "audit_verdict" VALUES(20,'value 1 ','version 1 ','ranking 1 ',2147483646,-1.0e-300,20,'event_id 1 ',20,20,'given_at 1 ','stored_at 1 ');
INSERT INTO "audit_verdict" VALUES(30,'value 2 é, é: composed or not','version 2 é, é: composed or not','ranking 2 é, é: composed or not',2147483645,12345678.9,30,'event_id 2 é, é: composed or not',30,30,'given_at 2 é, é: composed or not','stored_at 2 é, é: composed or not');
CREATE TABLE comment (
	id INTEGER NOT NULL, 
	event_id VARCHAR NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	sentence_id INTEGER, 
	text VARCHAR NOT NULL, 
	given_at VARCHAR NOT NULL, 
	stored_at VARCHAR NOT NULL, 
	CONSTRAINT pk_comment PRIMARY KEY (id), 
	CONSTRAINT fk_comment_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT fk_comment_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_comment_sentence_id FOREIGN KEY(sentence_id) REFERENCES sentence (id), 
	CONSTRAINT uq_comment_event_id UNIQUE (event_id)
);
INSERT INTO "comment" VALUES(10,'event_id 0 β-catenin ≤ 5 % 🧬	
''"',10,10,NULL,'text 0 β-catenin ≤ 5 % 🧬	
''"','given_at 0 β-catenin ≤ 5 % 🧬	
''"','stored_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "comment" VALUES(20,'event_id 1 ',20,20,20,'text 1 ','given_at 1 ','stored_at 1 ');
INSERT INTO "comment" VALUES(30,'event_id 2 é, é: composed or not',30,30,30,'text 2 é, é: composed or not','given_at 2 é, é: composed or not','stored_at 2 é, é: composed or not');
CREATE TABLE document_label (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	synonyms JSON NOT NULL, identifiers JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_document_label PRIMARY KEY (id), 
	CONSTRAINT fk_document_label_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT uq_document_label_article_id_kind_name UNIQUE (article_id, kind, name)
);
INSERT INTO "document_label" VALUES(10,10,'kind 0 β-catenin ≤ 5 % 🧬	
''"','name 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}');
INSERT INTO "document_label" VALUES(20,20,'kind 1 ','name 1 ','[]','[]');
INSERT INTO "document_label" VALUES(30,30,'kind 2 é, é: composed or not','name 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}');
CREATE TABLE embedding (
	version_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	sentence_count INTEGER NOT NULL, 
	vectors BLOB NOT NULL, 
	CONSTRAINT pk_embedding PRIMARY KEY (version_id, article_id), 
	CONSTRAINT fk_embedding_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_embedding_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "embedding" VALUES(10,10,2147483647,X'');
INSERT INTO "embedding" VALUES(20,20,2147483646,X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
INSERT INTO "embedding" VALUES(30,30,2147483645,X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
CREATE TABLE entity_candidate (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	paragraph_id INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	type VARCHAR NOT NULL, 
	identifiers JSON NOT NULL, 
	name VARCHAR NOT NULL, 
	probability DOUBLE NOT NULL, 
	CONSTRAINT pk_entity_candidate PRIMARY KEY (id), 
	CONSTRAINT fk_entity_candidate_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_entity_candidate_paragraph_id FOREIGN KEY(paragraph_id) REFERENCES paragraph (id)
);
INSERT INTO "entity_candidate" VALUES(10,10,10,2147483647,2147483647,'type 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','name 0 β-catenin ≤ 5 % 🧬	
''"',3.00000000000000044408e-01);
INSERT INTO "entity_candidate" VALUES(20,20,20,2147483646,2147483646,'type 1 ','[]','name 1 ',-1.0e-300);
INSERT INTO "entity_candidate" VALUES(30,30,30,2147483645,2147483645,'type 2 é, é: composed or not','{"a\\u0000": -0.1}','name 2 é, é: composed or not',12345678.9);
CREATE TABLE entity_scan (
	article_id INTEGER NOT NULL, 
	version VARCHAR NOT NULL, 
	scanned_at VARCHAR NOT NULL, 
	CONSTRAINT pk_entity_scan PRIMARY KEY (article_id), 
	CONSTRAINT fk_entity_scan_article_id FOREIGN KEY(article_id) REFERENCES article (id)
);
INSERT INTO "entity_scan" VALUES(10,'version 0 β-catenin ≤ 5 % 🧬	
''"','scanned_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "entity_scan" VALUES(20,'version 1 ','scanned_at 1 ');
INSERT INTO "entity_scan" VALUES(30,'version 2 é, é: composed or not','scanned_at 2 é, é: composed or not');
CREATE TABLE evaluation (
	id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	ranking VARCHAR NOT NULL, 
	split VARCHAR NOT NULL, 
	label_set_sha256 VARCHAR NOT NULL, 
	metrics JSON NOT NULL, 
	histogram JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_evaluation PRIMARY KEY (id), 
	CONSTRAINT fk_evaluation_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "evaluation" VALUES(10,10,'ranking 0 β-catenin ≤ 5 % 🧬	
''"','split 0 β-catenin ≤ 5 % 🧬	
''"','label_set_sha256 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "evaluation" VALUES(20,20,'ranking 1 ','split 1 ','label_set_sha256 1 ','[]','[]','created_at 1 ');
INSERT INTO "evaluation" VALUES(30,30,'ranking 2 é, é: composed or not','split 2 é, é: composed or not','label_set_sha256 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE experiment_run (
	id INTEGER NOT NULL, 
	experiment VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	corpus JSON NOT NULL, 
	encoder VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	metrics JSON NOT NULL, 
	articles JSON NOT NULL, 
	history JSON NOT NULL, 
	device VARCHAR NOT NULL, 
	seconds DOUBLE NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_experiment_run PRIMARY KEY (id), 
	CONSTRAINT uq_experiment_run_experiment_key UNIQUE (experiment, "key")
);
INSERT INTO "experiment_run" VALUES(10,'experiment 0 β-catenin ≤ 5 % 🧬	
''"','key 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','encoder 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','device 0 β-catenin ≤ 5 % 🧬	
''"',3.00000000000000044408e-01,'created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "experiment_run" VALUES(20,'experiment 1 ','key 1 ','[]','encoder 1 ','[]','[]','[]','[]','device 1 ',-1.0e-300,'created_at 1 ');
INSERT INTO "experiment_run" VALUES(30,'experiment 2 é, é: composed or not','key 2 é, é: composed or not','{"a\\u0000": -0.1}','encoder 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','device 2 é, é: composed or not',12345678.9,'created_at 2 é, é: composed or not');
CREATE TABLE gold_snapshot (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	rule VARCHAR NOT NULL, 
	annotator VARCHAR, 
	until_verdict INTEGER NOT NULL, 
	until_reading INTEGER NOT NULL, 
	label_set_sha256 VARCHAR NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	manifest JSON NOT NULL, 
	created_by VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_gold_snapshot PRIMARY KEY (id), 
	CONSTRAINT uq_gold_snapshot_name UNIQUE (name)
);
INSERT INTO "gold_snapshot" VALUES(10,'name 0 β-catenin ≤ 5 % 🧬	
''"','rule 0 β-catenin ≤ 5 % 🧬	
''"',NULL,2147483647,2147483647,'label_set_sha256 0 β-catenin ≤ 5 % 🧬	
''"','sha256 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_by 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"',X'');
INSERT INTO "gold_snapshot" VALUES(20,'name 1 ','rule 1 ','annotator 1 ',2147483646,2147483646,'label_set_sha256 1 ','sha256 1 ','[]','created_by 1 ','created_at 1 ',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
INSERT INTO "gold_snapshot" VALUES(30,'name 2 é, é: composed or not','rule 2 é, é: composed or not','annotator 2 é, é: composed or not',2147483645,2147483645,'label_set_sha256 2 é, é: composed or not','sha256 2 é, é: composed or not','{"a\\u0000": -0.1}','created_by 2 é, é: composed or not','created_at 2 é, é: composed or not',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
CREATE TABLE head (
	id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	until_verdict INTEGER NOT NULL, 
	counts JSON NOT NULL, 
	weights JSON NOT NULL, 
	metrics JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_head PRIMARY KEY (id), 
	CONSTRAINT fk_head_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "head" VALUES(10,10,2147483647,'{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "head" VALUES(20,20,2147483646,'[]','[]','[]','created_at 1 ');
INSERT INTO "head" VALUES(30,30,2147483645,'{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE history (
	id INTEGER NOT NULL, 
	done_at VARCHAR NOT NULL, 
	done_by VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	article_id INTEGER, 
	summary VARCHAR NOT NULL, 
	details JSON NOT NULL, 
	CONSTRAINT pk_history PRIMARY KEY (id), 
	CONSTRAINT fk_history_article_id FOREIGN KEY(article_id) REFERENCES article (id)
);
INSERT INTO "history" VALUES(10,'done_at 0 β-catenin ≤ 5 % 🧬	
''"','done_by 0 β-catenin ≤ 5 % 🧬	
''"','kind 0 β-catenin ≤ 5 % 🧬	
''"',NULL,'summary 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}');
INSERT INTO "history" VALUES(20,'done_at 1 ','done_by 1 ','kind 1 ',20,'summary 1 ','[]');
INSERT INTO "history" VALUES(30,'done_at 2 é, é: composed or not','done_by 2 é, é: composed or not','kind 2 é, é: composed or not',30,'summary 2 é, é: composed or not','{"a\\u0000": -0.1}');
CREATE TABLE job (
	id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	payload JSON NOT NULL, 
	progress JSON NOT NULL, 
	result JSON NOT NULL, 
	error VARCHAR, 
	pid INTEGER, 
	process_started DOUBLE, 
	cancel_requested BOOLEAN NOT NULL, 
	created_at VARCHAR NOT NULL, 
	started_at VARCHAR, 
	reported_at VARCHAR, 
	finished_at VARCHAR, attempts INTEGER DEFAULT '0' NOT NULL, asked_by VARCHAR, host VARCHAR, heartbeat_at VARCHAR, 
	CONSTRAINT pk_job PRIMARY KEY (id)
);
INSERT INTO "job" VALUES(10,'kind 0 β-catenin ≤ 5 % 🧬	
''"','state 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}',NULL,NULL,NULL,0,'created_at 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL,NULL,2147483647,NULL,NULL,NULL);
INSERT INTO "job" VALUES(20,'kind 1 ','state 1 ','[]','[]','[]','error 1 ',2147483646,-1.0e-300,1,'created_at 1 ','started_at 1 ','reported_at 1 ','finished_at 1 ',2147483646,'asked_by 1 ','host 1 ','heartbeat_at 1 ');
INSERT INTO "job" VALUES(30,'kind 2 é, é: composed or not','state 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','error 2 é, é: composed or not',2147483645,12345678.9,0,'created_at 2 é, é: composed or not','started_at 2 é, é: composed or not','reported_at 2 é, é: composed or not','finished_at 2 é, é: composed or not',2147483645,'asked_by 2 é, é: composed or not','host 2 é, é: composed or not','heartbeat_at 2 é, é: composed or not');
CREATE TABLE label_proposal (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	rank INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	identifiers JSON NOT NULL, 
	synonyms JSON NOT NULL, 
	probability DOUBLE NOT NULL, 
	sentences JSON NOT NULL, 
	CONSTRAINT pk_label_proposal PRIMARY KEY (id), 
	CONSTRAINT fk_label_proposal_article_id FOREIGN KEY(article_id) REFERENCES article (id)
);
INSERT INTO "label_proposal" VALUES(10,10,'kind 0 β-catenin ≤ 5 % 🧬	
''"',2147483647,'name 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}',3.00000000000000044408e-01,'{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}');
INSERT INTO "label_proposal" VALUES(20,20,'kind 1 ',2147483646,'name 1 ','[]','[]',-1.0e-300,'[]');
INSERT INTO "label_proposal" VALUES(30,30,'kind 2 é, é: composed or not',2147483645,'name 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}',12345678.9,'{"a\\u0000": -0.1}');
CREATE TABLE login_attempt (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	address VARCHAR NOT NULL, 
	tried_at DOUBLE NOT NULL, 
	succeeded BOOLEAN NOT NULL, 
	CONSTRAINT pk_login_attempt PRIMARY KEY (id)
);
INSERT INTO "login_attempt" VALUES(10,'name 0 β-catenin ≤ 5 % 🧬	
''"','address 0 β-catenin ≤ 5 % 🧬	
''"',3.00000000000000044408e-01,0);
INSERT INTO "login_attempt" VALUES(20,'name 1 ','address 1 ',-1.0e-300,1);
INSERT INTO "login_attempt" VALUES(30,'name 2 é, é: composed or not','address 2 é, é: composed or not',12345678.9,0);
CREATE TABLE login_session (
	id INTEGER NOT NULL, 
	token_sha256 VARCHAR NOT NULL, 
	account_id INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	address VARCHAR NOT NULL, 
	browser VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	expires_at VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	CONSTRAINT pk_login_session PRIMARY KEY (id), 
	CONSTRAINT fk_login_session_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT uq_login_session_token_sha256 UNIQUE (token_sha256)
);
INSERT INTO "login_session" VALUES(10,'token_sha256 0 β-catenin ≤ 5 % 🧬	
''"',10,2147483647,'address 0 β-catenin ≤ 5 % 🧬	
''"','browser 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"','expires_at 0 β-catenin ≤ 5 % 🧬	
''"',NULL);
INSERT INTO "login_session" VALUES(20,'token_sha256 1 ',20,2147483646,'address 1 ','browser 1 ','created_at 1 ','expires_at 1 ','ended_at 1 ');
INSERT INTO "login_session" VALUES(30,'token_sha256 2 é, é: composed or not',30,2147483645,'address 2 é, é: composed or not','browser 2 é, é: composed or not','created_at 2 é, é: composed or not','expires_at 2 é, é: composed or not','ended_at 2 é, é: composed or not');
CREATE TABLE model_version (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	parent_id INTEGER, 
	encoder VARCHAR NOT NULL, 
	folder VARCHAR NOT NULL, 
	manifest JSON NOT NULL, 
	"query" VARCHAR, 
	dimension INTEGER NOT NULL, 
	created_at VARCHAR NOT NULL, topic_sha256 VARCHAR, 
	CONSTRAINT pk_model_version PRIMARY KEY (id), 
	CONSTRAINT fk_model_version_parent_id FOREIGN KEY(parent_id) REFERENCES model_version (id), 
	CONSTRAINT uq_model_version_name UNIQUE (name)
);
INSERT INTO "model_version" VALUES(10,'name 0 β-catenin ≤ 5 % 🧬	
''"',NULL,'encoder 0 β-catenin ≤ 5 % 🧬	
''"','folder 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}',NULL,2147483647,'created_at 0 β-catenin ≤ 5 % 🧬	
''"',NULL);
INSERT INTO "model_version" VALUES(20,'name 1 ',10,'encoder 1 ','folder 1 ','[]','query 1 ',2147483646,'created_at 1 ','topic_sha256 1 ');
INSERT INTO "model_version" VALUES(30,'name 2 é, é: composed or not',10,'encoder 2 é, é: composed or not','folder 2 é, é: composed or not','{"a\\u0000": -0.1}','query 2 é, é: composed or not',2147483645,'created_at 2 é, é: composed or not','topic_sha256 2 é, é: composed or not');
CREATE TABLE paragraph (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	section_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	marks JSON NOT NULL, 
	CONSTRAINT pk_paragraph PRIMARY KEY (id), 
	CONSTRAINT fk_paragraph_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_paragraph_section_id FOREIGN KEY(section_id) REFERENCES section (id)
);
INSERT INTO "paragraph" VALUES(10,10,10,2147483647,'kind 0 β-catenin ≤ 5 % 🧬	
''"','text 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}');
INSERT INTO "paragraph" VALUES(20,20,20,2147483646,'kind 1 ','text 1 ','[]');
INSERT INTO "paragraph" VALUES(30,30,30,2147483645,'kind 2 é, é: composed or not','text 2 é, é: composed or not','{"a\\u0000": -0.1}');
CREATE TABLE promotion (
	id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	promoted_by VARCHAR NOT NULL, 
	reason VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_promotion PRIMARY KEY (id), 
	CONSTRAINT fk_promotion_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "promotion" VALUES(10,10,'promoted_by 0 β-catenin ≤ 5 % 🧬	
''"','reason 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "promotion" VALUES(20,20,'promoted_by 1 ','reason 1 ','created_at 1 ');
INSERT INTO "promotion" VALUES(30,30,'promoted_by 2 é, é: composed or not','reason 2 é, é: composed or not','created_at 2 é, é: composed or not');
CREATE TABLE proposal (
	set_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	sentence_id INTEGER NOT NULL, 
	score DOUBLE NOT NULL, 
	cosine DOUBLE NOT NULL, 
	CONSTRAINT pk_proposal PRIMARY KEY (set_id, rank), 
	CONSTRAINT fk_proposal_sentence_id FOREIGN KEY(sentence_id) REFERENCES sentence (id), 
	CONSTRAINT fk_proposal_set_id FOREIGN KEY(set_id) REFERENCES proposal_set (id)
);
INSERT INTO "proposal" VALUES(10,10,10,3.00000000000000044408e-01,3.00000000000000044408e-01);
INSERT INTO "proposal" VALUES(20,20,20,-1.0e-300,-1.0e-300);
INSERT INTO "proposal" VALUES(30,30,30,12345678.9,12345678.9);
CREATE TABLE proposal_set (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	ranking VARCHAR NOT NULL, 
	"query" VARCHAR NOT NULL, 
	k INTEGER NOT NULL, 
	created_at VARCHAR NOT NULL, head_id INTEGER CONSTRAINT fk_proposal_set_head_id REFERENCES head (id), topic_sha256 VARCHAR, 
	CONSTRAINT pk_proposal_set PRIMARY KEY (id), 
	CONSTRAINT fk_proposal_set_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_proposal_set_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "proposal_set" VALUES(10,10,10,'ranking 0 β-catenin ≤ 5 % 🧬	
''"','query 0 β-catenin ≤ 5 % 🧬	
''"',2147483647,'created_at 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL);
INSERT INTO "proposal_set" VALUES(20,20,20,'ranking 1 ','query 1 ',2147483646,'created_at 1 ',20,'topic_sha256 1 ');
INSERT INTO "proposal_set" VALUES(30,30,30,'ranking 2 é, é: composed or not','query 2 é, é: composed or not',2147483645,'created_at 2 é, é: composed or not',30,'topic_sha256 2 é, é: composed or not');
CREATE TABLE query_embedding (
	version_id INTEGER NOT NULL, 
	"query" VARCHAR NOT NULL, 
	vector BLOB NOT NULL, 
	CONSTRAINT pk_query_embedding PRIMARY KEY (version_id, "query"), 
	CONSTRAINT fk_query_embedding_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "query_embedding" VALUES(10,'query 0 β-catenin ≤ 5 % 🧬	
''"',X'');
INSERT INTO "query_embedding" VALUES(20,'query 1 ',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
INSERT INTO "query_embedding" VALUES(30,'query 2 é, é: composed or not',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F606162636465666768696A6B6C6D6E6F707172737475767778797A7B7C7D7E7F808182838485868788898A8B8C8D8E8F909192939495969798999A9B9C9D9E9FA0A1A2A3A4A5A6A7A8A9AAABACADAEAFB0B1B2B3B4B5B6B7B8B9BABBBCBDBEBFC0C1C2C3C4C5C6C7C8C9CACBCCCDCECFD0D1D2D3D4D5D6D7D8D9DADBDCDDDEDFE0E1E2E3E4E5E6E7E8E9EAEBECEDEEEFF0F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF');
CREATE TABLE ranker (
	id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	label_set_sha256 VARCHAR NOT NULL, 
	weights JSON NOT NULL, 
	metrics JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_ranker PRIMARY KEY (id), 
	CONSTRAINT fk_ranker_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "ranker" VALUES(10,10,'label_set_sha256 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "ranker" VALUES(20,20,'label_set_sha256 1 ','[]','[]','created_at 1 ');
INSERT INTO "ranker" VALUES(30,30,'label_set_sha256 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE reading (
	id INTEGER NOT NULL, 
	event_id VARCHAR NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	in_full BOOLEAN NOT NULL, 
	sentence_count INTEGER NOT NULL, 
	given_at VARCHAR NOT NULL, 
	stored_at VARCHAR NOT NULL, 
	CONSTRAINT pk_reading PRIMARY KEY (id), 
	CONSTRAINT fk_reading_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT fk_reading_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT uq_reading_event_id UNIQUE (event_id)
);
INSERT INTO "reading" VALUES(10,'event_id 0 β-catenin ≤ 5 % 🧬	
''"',10,10,0,2147483647,'given_at 0 β-catenin ≤ 5 % 🧬	
''"','stored_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "reading" VALUES(20,'event_id 1 ',20,20,1,2147483646,'given_at 1 ','stored_at 1 ');
INSERT INTO "reading" VALUES(30,'event_id 2 é, é: composed or not',30,30,0,2147483645,'given_at 2 é, é: composed or not','stored_at 2 é, é: composed or not');
CREATE TABLE reference (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	title VARCHAR NOT NULL, 
	pmid VARCHAR, 
	pmcid VARCHAR, 
	doi VARCHAR, 
	CONSTRAINT pk_reference PRIMARY KEY (id), 
	CONSTRAINT fk_reference_article_id FOREIGN KEY(article_id) REFERENCES article (id)
);
INSERT INTO "reference" VALUES(10,10,2147483647,'title 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL,NULL);
INSERT INTO "reference" VALUES(20,20,2147483646,'title 1 ','pmid 1 ','pmcid 1 ','doi 1 ');
INSERT INTO "reference" VALUES(30,30,2147483645,'title 2 é, é: composed or not','pmid 2 é, é: composed or not','pmcid 2 é, é: composed or not','doi 2 é, é: composed or not');
CREATE TABLE report (
	id INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	ranking VARCHAR NOT NULL, 
	split VARCHAR NOT NULL, 
	label_set_sha256 VARCHAR NOT NULL, 
	content JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_report PRIMARY KEY (id), 
	CONSTRAINT fk_report_version_id FOREIGN KEY(version_id) REFERENCES model_version (id)
);
INSERT INTO "report" VALUES(10,10,'ranking 0 β-catenin ≤ 5 % 🧬	
''"','split 0 β-catenin ≤ 5 % 🧬	
''"','label_set_sha256 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "report" VALUES(20,20,'ranking 1 ','split 1 ','label_set_sha256 1 ','[]','created_at 1 ');
INSERT INTO "report" VALUES(30,30,'ranking 2 é, é: composed or not','split 2 é, é: composed or not','label_set_sha256 2 é, é: composed or not','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE section (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	parent_id INTEGER, 
	position INTEGER NOT NULL, 
	depth INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	CONSTRAINT pk_section PRIMARY KEY (id), 
	CONSTRAINT fk_section_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_section_parent_id FOREIGN KEY(parent_id) REFERENCES section (id)
);
INSERT INTO "section" VALUES(10,10,NULL,2147483647,2147483647,'kind 0 β-catenin ≤ 5 % 🧬	
''"','title 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "section" VALUES(20,20,10,2147483646,2147483646,'kind 1 ','title 1 ');
INSERT INTO "section" VALUES(30,30,10,2147483645,2147483645,'kind 2 é, é: composed or not','title 2 é, é: composed or not');
CREATE TABLE sentence (
	id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	paragraph_id INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	"end" INTEGER NOT NULL, 
	CONSTRAINT pk_sentence PRIMARY KEY (id), 
	CONSTRAINT fk_sentence_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_sentence_paragraph_id FOREIGN KEY(paragraph_id) REFERENCES paragraph (id), 
	CONSTRAINT uq_sentence_article_id_position UNIQUE (article_id, position)
);
INSERT INTO "sentence" VALUES(10,10,10,2147483647,2147483647,2147483647);
INSERT INTO "sentence" VALUES(20,20,20,2147483646,2147483646,2147483646);
INSERT INTO "sentence" VALUES(30,30,30,2147483645,2147483645,2147483645);
CREATE TABLE setting (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	content JSON NOT NULL, 
	changed_by VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_setting PRIMARY KEY (id)
);
INSERT INTO "setting" VALUES(10,'name 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','changed_by 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "setting" VALUES(20,'name 1 ','[]','changed_by 1 ','created_at 1 ');
INSERT INTO "setting" VALUES(30,'name 2 é, é: composed or not','{"a\\u0000": -0.1}','changed_by 2 é, é: composed or not','created_at 2 é, é: composed or not');
CREATE TABLE simulation_run (
	id INTEGER NOT NULL, 
	experiment VARCHAR NOT NULL, 
	"key" VARCHAR NOT NULL, 
	corpus JSON NOT NULL, 
	encoder VARCHAR NOT NULL, 
	settings JSON NOT NULL, 
	metrics JSON NOT NULL, 
	articles JSON NOT NULL, 
	history JSON NOT NULL, 
	device VARCHAR NOT NULL, 
	seconds DOUBLE NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_simulation_run PRIMARY KEY (id), 
	CONSTRAINT uq_simulation_run_experiment_key UNIQUE (experiment, "key")
);
INSERT INTO "simulation_run" VALUES(10,'experiment 0 β-catenin ≤ 5 % 🧬	
''"','key 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','encoder 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','device 0 β-catenin ≤ 5 % 🧬	
''"',3.00000000000000044408e-01,'created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "simulation_run" VALUES(20,'experiment 1 ','key 1 ','[]','encoder 1 ','[]','[]','[]','[]','device 1 ',-1.0e-300,'created_at 1 ');
INSERT INTO "simulation_run" VALUES(30,'experiment 2 é, é: composed or not','key 2 é, é: composed or not','{"a\\u0000": -0.1}','encoder 2 é, é: composed or not','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','device 2 é, é: composed or not',12345678.9,'created_at 2 é, é: composed or not');
CREATE TABLE topic (
	id INTEGER NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	chosen_by VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_topic PRIMARY KEY (id)
);
INSERT INTO "topic" VALUES(10,'sha256 0 β-catenin ≤ 5 % 🧬	
''"','name 0 β-catenin ≤ 5 % 🧬	
''"','text 0 β-catenin ≤ 5 % 🧬	
''"','chosen_by 0 β-catenin ≤ 5 % 🧬	
''"','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "topic" VALUES(20,'sha256 1 ','name 1 ','text 1 ','chosen_by 1 ','created_at 1 ');
INSERT INTO "topic" VALUES(30,'sha256 2 é, é: composed or not','name 2 é, é: composed or not','text 2 é, é: composed or not','chosen_by 2 é, é: composed or not','created_at 2 é, é: composed or not');
CREATE TABLE training_run (
	id INTEGER NOT NULL, 
	job_id INTEGER, 
	parent_id INTEGER NOT NULL, 
	child_id INTEGER NOT NULL, 
	settings JSON NOT NULL, 
	label_counts JSON NOT NULL, 
	label_set_sha256 VARCHAR NOT NULL, 
	history JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_training_run PRIMARY KEY (id), 
	CONSTRAINT fk_training_run_child_id FOREIGN KEY(child_id) REFERENCES model_version (id), 
	CONSTRAINT fk_training_run_job_id FOREIGN KEY(job_id) REFERENCES job (id), 
	CONSTRAINT fk_training_run_parent_id FOREIGN KEY(parent_id) REFERENCES model_version (id), 
	CONSTRAINT uq_training_run_child_id UNIQUE (child_id)
);
INSERT INTO "training_run" VALUES(10,NULL,10,10,'{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','label_set_sha256 0 β-catenin ≤ 5 % 🧬	
''"','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "training_run" VALUES(20,20,20,20,'[]','[]','label_set_sha256 1 ','[]','created_at 1 ');
INSERT INTO "training_run" VALUES(30,30,30,30,'{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','label_set_sha256 2 é, é: composed or not','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE triage_fit (
	id INTEGER NOT NULL, 
	until_verdict INTEGER NOT NULL, 
	until_reading INTEGER NOT NULL, 
	counts JSON NOT NULL, 
	metrics JSON NOT NULL, 
	created_at VARCHAR NOT NULL, 
	CONSTRAINT pk_triage_fit PRIMARY KEY (id)
);
INSERT INTO "triage_fit" VALUES(10,2147483647,2147483647,'{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','{"\u0394": [1, 2.5, null, true], "b": {"\ud83e\uddec": ""}}','created_at 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "triage_fit" VALUES(20,2147483646,2147483646,'[]','[]','created_at 1 ');
INSERT INTO "triage_fit" VALUES(30,2147483645,2147483645,'{"a\\u0000": -0.1}','{"a\\u0000": -0.1}','created_at 2 é, é: composed or not');
CREATE TABLE triage_score (
	article_id INTEGER NOT NULL, 
	sentence_count INTEGER NOT NULL, 
	rules VARCHAR NOT NULL, 
	cue DOUBLE NOT NULL, 
	probability DOUBLE, 
	CONSTRAINT pk_triage_score PRIMARY KEY (article_id), 
	CONSTRAINT fk_triage_score_article_id FOREIGN KEY(article_id) REFERENCES article (id)
);
INSERT INTO "triage_score" VALUES(10,2147483647,'rules 0 β-catenin ≤ 5 % 🧬	
''"',3.00000000000000044408e-01,NULL);
INSERT INTO "triage_score" VALUES(20,2147483646,'rules 1 ',-1.0e-300,-1.0e-300);
INSERT INTO "triage_score" VALUES(30,2147483645,'rules 2 é, é: composed or not',12345678.9,12345678.9);
CREATE TABLE verdict (
	id INTEGER NOT NULL, 
	event_id VARCHAR NOT NULL, 
	annotator_id INTEGER NOT NULL, 
	article_id INTEGER NOT NULL, 
	sentence_id INTEGER NOT NULL, 
	value VARCHAR NOT NULL, 
	origin VARCHAR NOT NULL, 
	rank INTEGER, 
	cosine DOUBLE, 
	ranking VARCHAR, 
	version VARCHAR, 
	genes VARCHAR, 
	cells VARCHAR, 
	edit VARCHAR, 
	given_at VARCHAR NOT NULL, 
	stored_at VARCHAR NOT NULL, proposal_set_id INTEGER CONSTRAINT fk_verdict_proposal_set_id REFERENCES proposal_set (id), role VARCHAR DEFAULT 'annotator' NOT NULL, 
	CONSTRAINT pk_verdict PRIMARY KEY (id), 
	CONSTRAINT fk_verdict_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id), 
	CONSTRAINT fk_verdict_article_id FOREIGN KEY(article_id) REFERENCES article (id), 
	CONSTRAINT fk_verdict_sentence_id FOREIGN KEY(sentence_id) REFERENCES sentence (id), 
	CONSTRAINT uq_verdict_event_id UNIQUE (event_id)
);
INSERT INTO "verdict" VALUES(10,'event_id 0 β-catenin ≤ 5 % 🧬	
''"',10,10,10,'value 0 β-catenin ≤ 5 % 🧬	
''"','origin 0 β-catenin ≤ 5 % 🧬	
''"',NULL,NULL,NULL,NULL,NULL,NULL,NULL,'given_at 0 β-catenin ≤ 5 % 🧬	
''"','stored_at 0 β-catenin ≤ 5 % 🧬	
''"',NULL,'role 0 β-catenin ≤ 5 % 🧬	
''"');
INSERT INTO "verdict" VALUES(20,'event_id 1 ',20,20,20,'value 1 ','origin 1 ',2147483646,-1.0e-300,'ranking 1 ','version 1 ','genes 1 ','cells 1 ','edit 1 ','given_at 1 ','stored_at 1 ',20,'role 1 ');
INSERT INTO "verdict" VALUES(30,'event_id 2 é, é: composed or not',30,30,30,'value 2 é, é: composed or not','origin 2 é, é: composed or not',2147483645,12345678.9,'ranking 2 é, é: composed or not','version 2 é, é: composed or not','genes 2 é, é: composed or not','cells 2 é, é: composed or not','edit 2 é, é: composed or not','given_at 2 é, é: composed or not','stored_at 2 é, é: composed or not',30,'role 2 é, é: composed or not');
CREATE INDEX ix_article_split ON article (split);
CREATE INDEX ix_job_state ON job (state);
CREATE UNIQUE INDEX uq_job_active ON job (kind) WHERE state IN ('queued', 'running');
CREATE INDEX ix_evaluation_version_id_id ON evaluation (version_id, id);
CREATE INDEX ix_proposal_set_article_id_id ON proposal_set (article_id, id);
CREATE INDEX ix_reading_article_id_id ON reading (article_id, id);
CREATE INDEX ix_reference_article_id ON reference (article_id);
CREATE INDEX ix_section_article_id ON section (article_id);
CREATE INDEX ix_paragraph_article_id ON paragraph (article_id);
CREATE INDEX ix_comment_article_id_id ON comment (article_id, id);
CREATE INDEX ix_verdict_annotator_id ON verdict (annotator_id);
CREATE INDEX ix_verdict_article_id_id ON verdict (article_id, id);
CREATE INDEX ix_ranker_version_id_id ON ranker (version_id, id);
CREATE INDEX ix_report_version_id_id ON report (version_id, id);
CREATE INDEX ix_audit_verdict_article_id_id ON audit_verdict (article_id, id);
CREATE INDEX ix_setting_name_id ON setting (name, id);
CREATE INDEX ix_head_version_id_id ON head (version_id, id);
CREATE INDEX ix_assignment_annotator_id_id ON assignment (annotator_id, id);
CREATE INDEX ix_assignment_article_id ON assignment (article_id);
CREATE INDEX ix_login_session_account_id ON login_session (account_id);
CREATE INDEX ix_login_attempt_name_id ON login_attempt (name, id);
CREATE INDEX ix_login_attempt_address_id ON login_attempt (address, id);
CREATE INDEX ix_history_article_id_id ON history (article_id, id);
CREATE TRIGGER gold_snapshot_update BEFORE UPDATE ON gold_snapshot BEGIN SELECT RAISE(ABORT, 'a gold snapshot never changes'); END;
CREATE TRIGGER gold_snapshot_delete BEFORE DELETE ON gold_snapshot BEGIN SELECT RAISE(ABORT, 'a gold snapshot never changes'); END;
CREATE INDEX ix_topic_sha256_id ON topic (sha256, id);
CREATE INDEX ix_entity_candidate_article_id ON entity_candidate (article_id);
CREATE INDEX ix_label_proposal_article_id ON label_proposal (article_id);
COMMIT;
